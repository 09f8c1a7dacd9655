import { existsSync } from 'node:fs';
import { commandIn, unknownCommand } from '../../commands/dispatch.ts';
import { builtinCommands } from '../../commands/index.ts';
import { extensionFiles, userExtensionFiles } from '../../config/extension-files.ts';
import { projectRoot } from '../../config/trust.ts';
import type { Host } from '../host.ts';
import type { Settings } from '../settings.ts';

/**
 * For a prompt that will be sent in a folder: says that its slash command does not exist. Null if it may: plugins and
 * servers may bring it, and so may files that mention it.
 */
export function unknownCommandIn(
  prompt: string,
  folder: string,
  { config, root, bundles }: Settings,
  { env }: Pick<Host, 'env'>,
): string | null {
  const typed = commandIn(prompt);
  if (!typed || typed.mayBeFile || /:|^mcp__/.test(typed.name) || existsSync(`/${typed.name}`)) return null;
  if (config.plugins.length > 0 || bundles.length > 0) return null;
  const name = typed.name.toLowerCase();
  if (['model', 'theme', ...builtinCommands.map((command) => command.name)].includes(name)) return null;
  const files = [
    ...userExtensionFiles({ dataRoot: root, env, otherAssistants: config.otherAssistants }),
    ...extensionFiles({ root: projectRoot(folder), cwd: folder, dataRoot: root }),
  ];
  if (files.some((file) => `${file.name}\n${file.text}`.toLowerCase().includes(name))) return null;
  return `${unknownCommand(typed.name, builtinCommands)} To send it as a prompt, put a word before it: "about /${typed.name} …".`;
}
