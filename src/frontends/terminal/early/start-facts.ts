import { homedir } from 'node:os';
import { underHome } from '../../../lib/paths/shown-path.ts';
import { version } from '../../../lib/version.ts';
import type { StartFacts } from './start-rows.ts';
import { tipOfThisStart } from './tips.ts';

/** What is known before anything is loaded. */
export function startFacts(cwd: string): StartFacts {
  return { version, folder: underHome(cwd, homedir()), tip: tipOfThisStart };
}
