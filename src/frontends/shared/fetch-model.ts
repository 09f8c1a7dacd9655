import { loadSettings } from '../../app/settings.ts';
import { UserError } from '../../contract/errors.ts';
import { firstModel } from '../../embedded/models/curated.ts';
import { pullModel } from './hub-model.ts';
import { setUpRuntime } from './set-up-runtime.ts';
import type { Terminal } from './terminal.ts';

export type FetchStep = 'runtime' | 'first model';

/**
 * Downloads what an embedded model needs, without further questions. False when a step failed, which is
 * printed.
 */
export async function fetchModelParts(
  steps: readonly FetchStep[],
  { terminal, print }: { terminal: Terminal; print(text: string): void },
): Promise<boolean> {
  try {
    if (steps.includes('runtime')) await setUpRuntime({ yes: true }, terminal);
    if (steps.includes('first model'))
      await pullModel(firstModel, { settings: loadSettings({}, terminal), terminal, consent: 'given' });
    return true;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    print(`${error.message}\n${error.hint}\n`);
    return false;
  }
}
