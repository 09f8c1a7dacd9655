import { dataRoot } from '../../../lib/files/data-root.ts';
import { leadsToScreen, modeIn } from './early-check.ts';
import { EarlyComposer } from './early-composer.ts';
import { readLook } from './look-file.ts';
import { startFacts } from './start-facts.ts';

type Place = { env: NodeJS.ProcessEnv; cwd: string; stdin: NodeJS.ReadStream; stdout: NodeJS.WriteStream };

/** Opens an early prompt, if these arguments lead to one and its appearance is known. */
export function openEarly(args: readonly string[], place: Place): EarlyComposer | null {
  const { env, cwd, stdin, stdout } = place;
  if (!leadsToScreen(args, { env, stdin, stdout })) return null;
  const look = readLook(dataRoot(env), env);
  if (look === null) return null;
  return new EarlyComposer({ stdin, stdout }, { ...look, mode: modeIn(args) ?? look.mode }, startFacts(cwd));
}
