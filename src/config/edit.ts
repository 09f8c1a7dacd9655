import { statSync } from 'node:fs';
import { applyEdits, findNodeAtLocation, modify, parseTree } from 'jsonc-parser';
import { UserError } from '../contract/errors.ts';
import { type SharedFile, updateFile, type Write } from '../lib/files/file-update.ts';
import { parseJson } from '../lib/text/json.ts';
import { parseConfig, parseTable, readSmallFile, wrongValues } from './config-file.ts';
import { issuesIn } from './schema/check-settings.ts';

type Changed = { notices: string[]; changed: boolean };

/**
 * Sets one value in a configuration file and keeps the rest, including comments; undefined removes the key.
 * Never writes an invalid file.
 */
export function setValue(shared: SharedFile, keyPath: readonly string[], value: unknown): Promise<Changed> {
  const file = typeof shared === 'string' ? shared : shared.file;
  return updateFile(shared, (write) => change({ file, keyPath, value }, write));
}

async function change(
  { file, keyPath, value }: { file: string; keyPath: readonly string[]; value: unknown },
  write: Write,
): Promise<Changed> {
  const before = readSmallFile(file) ?? '';
  rejectWrong(keyPath, value);
  const wasWrong = wrongValues(parseTable(before, file).value);
  const after = editText(before, keyPath, value);
  if (value === undefined && after === before) return { notices: [], changed: false };
  const isWrong = wrongValues(parseTable(after, file).value);
  // A file that is invalid elsewhere is reported before our change shifts its lines.
  if (wasWrong.length > 0 && isWrong.length >= wasWrong.length) parseConfig(before, file);
  const notices =
    isWrong.length > 0 && isWrong.length < wasWrong.length
      ? isWrong.map(({ text }) => `${file}: ${text}`)
      : parseConfig(after, file).notices;
  const stat = statSync(file, { throwIfNoEntry: false });
  // A new file may later contain a key, so it is private.
  await write(after, { mode: stat ? stat.mode & 0o777 : 0o600 });
  return { notices, changed: true };
}

/** What the file says elsewhere may complete the value, so only what is wrong with the value itself counts. */
function rejectWrong(keyPath: readonly string[], value: unknown): void {
  if (value === undefined) return;
  const alone = keyPath.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  const wrong = wrongValues(alone).filter(({ path }) => keyPath.every((name, i) => path[i] === name));
  if (wrong.length > 0) throw new UserError(wrong.map(({ text }) => text).join('\n'), 'Nothing was changed.');
}

/** The text of a configuration with one value set or removed. */
export function editText(text: string, keyPath: readonly string[], value: unknown): string {
  const start = text.trim() === '' ? '{}\n' : text;
  const tree = value === undefined ? parseTree(start) : undefined;
  if (tree && !findNodeAtLocation(tree, [...keyPath])) return text;
  const edits = modify(start, [...keyPath], value, {
    formattingOptions: {
      insertSpaces: !/^\t/m.test(start),
      tabSize: /^( +)\S/m.exec(start)?.[1]?.length ?? 2,
      eol: start.includes('\r\n') ? '\r\n' : '\n',
    },
  });
  return applyEdits(start, edits);
}

/** What a person typed for a setting: JSON if it expects that, else text. So `4` is the name of a model. */
export function valueFromText(keyPath: readonly string[], text: string): unknown {
  const fits = (value: unknown) => {
    const [setting = '', ...inside] = keyPath;
    const said = inside.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
    return issuesIn({ [setting]: said }).length === 0;
  };
  const json = parseJson(text);
  return json === undefined || (!fits(json) && fits(text)) ? text : json;
}
