import path from 'node:path';
import { homeFolder } from '../lib/files/data-root.ts';
import type { AssistantName } from './schema/other-assistants.ts';

/** Several assistants share a folder. */
export type FolderOwner = AssistantName | 'several';

/** Where other assistants keep the user's files for all projects. */
export function assistantFolders(
  env: Readonly<Record<string, string | undefined>>,
): Record<FolderOwner, string> {
  const home = homeFolder(env);
  return {
    claude: env.CLAUDE_CONFIG_DIR || path.join(home, '.claude'),
    codex: env.CODEX_HOME || path.join(home, '.codex'),
    gemini: path.join(home, '.gemini'),
    cursor: path.join(home, '.cursor'),
    opencode: path.join(env.XDG_CONFIG_HOME || path.join(home, '.config'), 'opencode'),
    several: path.join(home, '.agents'),
  };
}
