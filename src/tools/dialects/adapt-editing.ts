import type { AdaptedCall, Arguments } from '../../contract/tool.ts';
import { isObject, parseJson } from '../../lib/text/json.ts';
import { FILE_NAMES, NEW_TEXT_NAMES, OLD_TEXT_NAMES } from './names.ts';
import { fieldOf, flagIn, listIn, numberIn, take } from './values.ts';

/** The text editor tool with its commands; a list of edits under one file. */
export function adaptEdit(input: Arguments): AdaptedCall {
  const { taken, rest } = take(input, ['command', 'edits', 'expected_replacements', 'diff', ...TEXT_EDITOR]);
  switch (taken.command) {
    case undefined:
      break;
    case 'str_replace':
      return { input: { new_string: '', ...withoutAbsent(rest) } };
    case 'view':
      return {
        tool: 'Read',
        input: { ...rest, ...(taken.view_range != null && { view_range: taken.view_range }) },
      };
    case 'create':
      return { tool: 'Write', input: { ...rest, content: taken.file_text } };
    case 'insert':
      return {
        refuse:
          'Edit cannot insert at a line number. Pass the line before it as old_string, and that line with the new text after it as new_string.',
      };
    default:
      return {
        refuse: `Edit has no command ${String(taken.command)}. It takes file_path, old_string and new_string.`,
      };
  }
  if (typeof taken.diff === 'string') {
    const edits = blocksIn(taken.diff);
    if (edits) return { tool: 'MultiEdit', input: { ...rest, edits } };
  }
  const others = withoutAbsent(take(taken, [...TEXT_EDITOR, 'diff']).taken);
  const count = numberIn(taken.expected_replacements);
  if (count !== undefined && count > 1)
    return {
      refuse: `Edit has no expected_replacements. To replace every occurrence pass replace_all: true, or make ${count} edits with more context.`,
    };
  if (taken.edits === undefined) return { input: { ...rest, ...others } };
  return { tool: 'MultiEdit', input: { ...rest, edits: taken.edits } };
}

const BLOCK =
  /^(?:<{5,}|-{5,}) ?SEARCH>?\n(?::start_line:[^\n]*\n)?(?::end_line:[^\n]*\n)?(?:-{5,}\n)?(?<old>.*?)^={5,}\n(?<fresh>.*?)^(?:>{5,}|\+{5,}) ?REPLACE>?$/gms;

/** Blocks of SEARCH and REPLACE; undefined if there is anything else. */
function blocksIn(diff: string): Arguments[] | undefined {
  const text = `${diff.replaceAll('\r\n', '\n').trimEnd()}\n`;
  const blocks = [...text.matchAll(BLOCK)];
  if (blocks.length === 0 || text.replaceAll(BLOCK, '').trim() !== '') return undefined;
  return blocks.map(({ groups: { old = '', fresh = '' } = {} }) => ({
    old_string: fresh === '' ? old : old.replace(/\n$/, ''),
    new_string: fresh.replace(/\n$/, ''),
  }));
}

const TEXT_EDITOR = ['file_text', 'view_range', 'insert_line', 'insert_text'] as const;

function withoutAbsent(input: Arguments): Arguments {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value != null));
}

/** One file above the edits, and other names in them. */
export function adaptMultiEdit(input: Arguments): AdaptedCall {
  const { taken, rest } = take(input, ['edits', 'file_path', 'old_string', 'new_string']);
  const given = typeof taken.edits === 'string' ? parseJson(taken.edits) : taken.edits;
  const list = isObject(given) ? [given] : listIn(given);
  if (!list) return { input: { ...input } };
  const single =
    taken.old_string === undefined ? [] : [{ old_string: taken.old_string, new_string: taken.new_string }];
  return { input: { ...rest, edits: [...list, ...single].map((edit) => editIn(edit, taken.file_path)) } };
}

function editIn(edit: unknown, outer: unknown): unknown {
  if (!isObject(edit)) return edit;
  const names = [...NAMES.file, ...NAMES.old, ...NAMES.fresh, ...NAMES.all];
  const { rest } = take(withoutAbsent(edit), [...names, 'description', 'explanation', 'instruction']);
  const all = fieldOf(edit, NAMES.all);
  return {
    ...rest,
    file_path: fieldOf(edit, NAMES.file) ?? outer,
    old_string: fieldOf(edit, NAMES.old),
    new_string: fieldOf(edit, NAMES.fresh),
    ...(all !== undefined && { replace_all: all }),
  };
}

const NAMES = {
  file: ['file_path', 'filePath', ...FILE_NAMES],
  old: ['old_string', 'oldString', 'oldText', ...OLD_TEXT_NAMES],
  fresh: ['new_string', 'newString', 'newText', ...NEW_TEXT_NAMES],
  all: ['replace_all', 'replaceAll', 'allow_multiple'],
};

/** Only a whole file can be written. */
export function adaptWrite(input: Arguments): AdaptedCall {
  const { taken, rest } = take(input, ['append', 'mode', 'overwrite']);
  if (flagIn(taken.append) || taken.mode === 'append' || taken.mode === 'a')
    return { refuse: 'Write cannot append. Add text with Edit, or with Bash and >>.' };
  const isKnown =
    taken.mode === undefined || ['overwrite', 'w', 'create', 'rewrite'].includes(String(taken.mode));
  return { input: isKnown ? rest : { ...rest, mode: taken.mode } };
}
