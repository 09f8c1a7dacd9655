import { singleQuoted } from '../../lib/text/shell-quote.ts';
import type { Tables } from './tables.ts';

type Words = Tables['commands'][number]['words'];

/** The tables as functions for both bash and zsh, which differ in how they write a list. */
export function posixTables(
  { flags, args, commands, options, paths }: Tables,
  listOf: (words: Words) => string,
): string {
  const chosen = (name: string, rows: readonly string[], otherwise: string) => `__aca_${name}() {
  case "$1" in
${rows.map((row) => `    ${row} ;;`).join('\n')}
    *) ${otherwise} ;;
  esac
}`;
  const lists = (all: Tables['commands']) =>
    all.map(({ place, words }) => `${singleQuoted(place)}) list=${listOf(words)}`);
  const values = [...flags, ...args].map(
    ({ keys, kind }) => `${keys.map(singleQuoted).join(' | ')}) kind=${singleQuoted(kind)}`,
  );
  return [
    chosen('value', values, 'kind='),
    chosen('commands', lists(commands), `list=${listOf([])}`),
    chosen('options', lists(options), `list=${listOf([])}`),
    chosen('is_path', [`${paths.map(singleQuoted).join(' | ')}) return 0`], 'return 1'),
  ].join('\n\n');
}
