import type { Encoding } from '../../lib/text/text-encoding.ts';
import { applyEdit, type Edited, type Replacement } from './apply-edit.ts';

type Spelling = { note: string; read(text: string): string };

/** Ways in which models misspell text that they saw correctly. */
const SPELLINGS: readonly Spelling[] = [
  {
    note: 'Written with escapes such as \\n, old_string was not in the file; they were read as the characters they stand for.',
    read: (text) =>
      text.replaceAll(
        /\\(n|t|r|"|'|\\)/g,
        (_, mark: string) => ({ n: '\n', t: '\t', r: '\r' })[mark] ?? mark,
      ),
  },
  {
    note: 'old_string was not in the file with curly quotes; they were read as straight ones.',
    read: (text) => text.replaceAll(/[\u201C\u201D]/g, '"').replaceAll(/[\u2018\u2019]/g, "'"),
  },
];

/** As `applyEdit`; what is not found is tried once in each other spelling, which the notes name. */
export function applyMeant(units: string, encoding: Encoding, edit: Replacement): Edited {
  const edited = applyEdit(units, encoding, edit);
  if (edited.type === 'edited' || !edited.error.startsWith('String not found')) return edited;
  for (const { note, read } of SPELLINGS) {
    const other = { ...edit, old_string: read(edit.old_string), new_string: read(edit.new_string) };
    if (other.old_string === edit.old_string) continue;
    const tried = applyEdit(units, encoding, other);
    if (tried.type === 'edited') return { ...tried, notes: [note, ...tried.notes] };
  }
  return edited;
}
