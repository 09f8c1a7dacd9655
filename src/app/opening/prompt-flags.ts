import { readFileSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { unlessErrno } from '../../lib/files/errno.ts';
import type { SessionOptions } from '../options.ts';

/** What the flags change in the system prompt. */
export function promptChanges(
  options: Partial<SessionOptions>,
  cwd: string,
): { replace?: string; append?: string } {
  const read = (flag: string, file: string | undefined) => {
    if (file === undefined) return undefined;
    const text = unlessErrno('any', null, () => readFileSync(path.resolve(cwd, file), 'utf8'));
    if (text === null)
      throw new UserError(`${flag}: ${file} cannot be read.`, 'Give the path of a text file.');
    return text;
  };
  const replace = options.systemPrompt ?? read('--system-prompt-file', options.systemPromptFile);
  const append =
    options.appendSystemPrompt ?? read('--append-system-prompt-file', options.appendSystemPromptFile);
  return { ...(replace !== undefined && { replace }), ...(append !== undefined && { append }) };
}
