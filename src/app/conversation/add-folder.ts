import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { unlessErrno } from '../../lib/files/errno.ts';
import { isInside } from '../../lib/paths/inside.ts';
import { counted } from '../../lib/text/counted.ts';
import type { Opened } from '../open-assistant.ts';

export type AddFolderOptions = {
  opened: Pick<Opened, 'config' | 'controller' | 'shells'>;
  cwd: string;
  confirm(question: string): Promise<boolean>;
  /** Continues the conversation with this folder, once the command is done. */
  reopen(folder: string): void;
};

/** Opens a folder for the rest of the session. Resolves with what to tell the user. */
export async function addFolder(written: string, options: AddFolderOptions): Promise<string> {
  const { opened, cwd, confirm, reopen } = options;
  const { additionalDirectories, saveHistory } = opened.config;
  const folder = path.resolve(
    cwd,
    written.replace(/^~(?=[/\\]|$)/, () => homedir()),
  );
  const stat = unlessErrno('any', null, () => statSync(folder));
  if (!stat?.isDirectory()) return `${folder} is not a folder.`;
  if ([cwd, ...additionalDirectories].some((one) => isInside(one, folder)))
    return `${folder} is already open.`;
  if (!saveHistory && opened.controller.session.messages.length > 0)
    return `Sessions are not saved, so this one cannot continue with another folder. Start with --add-dir ${folder}.`;
  const running = opened.shells();
  const what = counted(running, 'background command');
  if (running > 0 && !(await confirm(`Opening ${folder} stops ${what}. Continue?`)))
    return 'Nothing was opened.';
  reopen(folder);
  return `Opened ${folder} for this session: files there can be read and changed as in this folder.`;
}
