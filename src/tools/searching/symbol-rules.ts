/**
 * How a name is defined in common languages. `before` and `after` surround the name, in the regular
 * expression subset that ripgrep and JavaScript share; `unless` is tested only here, on the whole line. In
 * the examples the name is `thing`.
 */
export type SymbolRule = {
  what: string;
  before: string;
  after: string;
  unless?: RegExp;
  examples: { hits: string[]; misses: string[] };
};

/** What ends a name. */
export const NAME_END = '(?:[^\\p{L}\\p{N}_$]|$)';
const modifiers =
  'export|default|declare|public|private|protected|internal|fileprivate|open|static|abstract|final|sealed|async|' +
  'override|readonly|virtual|inline|const|constexpr|unsafe|extern|pub(?:\\([^)]*\\))?|partial|data|case|enum|typedef|' +
  'suspend|operator|mutating|local|lazy|implicit|template\\s*<[^>]*>|@\\w+(?:\\([^)]*\\))?';
const start = `^\\s*(?:(?:${modifiers})\\s+)*`;
const typeWord = '(?:[\\w$<>\\[\\],.?*&:~@]+\\s+)';
/** Arguments with balanced parentheses. */
const parameters = '\\((?:[^;{}()=]|=[^>]|\\([^()]*\\))*\\)';
/** Keywords that precede a call rather than a definition. */
const callWords =
  /^\s*(?:\}\s*)?(?:return|await|yield|throw|new|if|else|elif|for|while|until|switch|match|case|when|in|do|go|defer|print|echo|assert|and|or|not|guard|unless)\b/;

export const symbolRules: readonly SymbolRule[] = [
  {
    what: 'function',
    before:
      `${start}(?:function\\s*\\*?\\s*|(?:def|defp|defmacro|fn|func|fun|sub|proc|procedure|macro_rules!)\\s+)` +
      '(?:\\([^)]*\\)\\s*|(?:[\\w]+[.:])+)?',
    after: NAME_END,
    examples: {
      hits: [
        'export async function thing() {',
        'function* thing() {',
        '  def thing(self):',
        'def self.thing',
        'pub(crate) fn thing<T>(x: T) {',
        'func (s *Server) thing(w io.Writer) {',
        'fun String.thing() = 1',
        'function M.thing()',
        'macro_rules! thing {',
        'function thing {',
      ],
      misses: [
        'return thing()',
        'function other(thing) {',
        'def things():',
        'the function thing does',
        'func something()',
      ],
    },
  },
  {
    what: 'type',
    before:
      `${start}(?:class|interface|type|enum|struct|trait|union|record|protocol|extension|object|module|namespace|mod|` +
      'newtype|defmodule|actor|message|service|contract|impl(?:<[^>]*>)?|' +
      'create\\s+(?:or\\s+replace\\s+)?(?:table|view|type|index|function|procedure)(?:\\s+if\\s+not\\s+exists)?)\\s+' +
      '(?:\\w+(?:::|\\.))*',
    after: NAME_END,
    examples: {
      hits: [
        'export class thing extends Base {',
        'export default interface thing {',
        'type thing = string;',
        'type thing struct {',
        'pub enum thing {',
        'typedef struct thing {',
        'const enum thing {',
        'data class thing(val x: Int)',
        'CREATE TABLE IF NOT EXISTS thing (',
        'class Outer::thing',
      ],
      misses: ['new thing()', 'a class of thing', 'class Other(thing):', 'type things = 1'],
    },
  },
  {
    what: 'variable',
    before: `(?:${start}(?:const|let|var|val|static|final|auto|local|my|our)\\s+(?:mut\\s+)?|^\\s*#\\s*define\\s+)`,
    after: NAME_END,
    examples: {
      hits: [
        'export const thing = 1;',
        '  let mut thing = 2;',
        'val thing: Int = 3',
        '#define thing 4',
        'static thing: u8 = 5;',
      ],
      misses: ['const other = thing;', 'let things = 1', 'constant thing'],
    },
  },
  {
    what: 'variable',
    before: '^(?:export\\s+)?',
    after: '\\s*(?::[^=]+)?=(?:[^=]|$)',
    examples: {
      hits: ['thing = 1', 'thing: int = 2', 'export thing=3', 'thing ='],
      misses: ['  thing = 1', 'thing == 1', 'other = thing', 'thing.x = 1'],
    },
  },
  {
    what: 'function',
    before: `${start}(?:[\\w$]+\\.)*`,
    after:
      '\\s*(?::[^=]+=|[:=])\\s*(?:async\\s*)?(?:function|\\((?:[^()]|\\([^()]*\\))*\\)\\s*(?::[^=]+)?=>|[\\w$]+\\s*=>|lambda)',
    examples: {
      hits: [
        '  thing: (a, b) => a,',
        'exports.thing = function (x) {',
        '  thing = async (x) => {',
        'thing = lambda x: x',
        '  thing: async function () {',
      ],
      misses: ['  thing: other,', 'thing(() => 1)', 'x = thing((y) => y)'],
    },
  },
  {
    what: 'method',
    before: `^\\s*${typeWord}*[*&]*`,
    after: `\\s*(?:<[^>]*>)?${parameters}[^;={}()]*\\{`,
    unless: callWords,
    examples: {
      hits: [
        '  async thing(a: string): Promise<void> {',
        'public static int thing(String a) throws IOException {',
        'thing() {',
        'int *thing(int argc, char **argv) {',
        '  get thing() { return 1; }',
        '  thing<T>(a = 1) {',
      ],
      misses: [
        'if thing(x) {',
        'if (thing(x)) {',
        'thing(function () {',
        "thing('a', () => {",
        'thing();',
        '  return thing(x) {',
      ],
    },
  },
  {
    what: 'function',
    before: `^${typeWord}+[*&]*`,
    after: `\\s*${parameters}\\s*(?:const)?\\s*$`,
    unless: callWords,
    examples: {
      hits: ['int thing(int a)', 'static void thing(void)', 'bool thing(int a) const'],
      misses: ['thing(1)', 'await thing(1)', '  x thing(1)', 'int thing(1);'],
    },
  },
];

/** One pattern for every line that may define one of the names, which are regular expressions themselves. */
export function definitionPattern(names: readonly string[]): string {
  const name = `(?:${names.join('|')})`;
  return symbolRules.map(({ before, after }) => `(?:${before}${name}${after})`).join('|');
}

/** Returns what a line defines under a name, or null. Case-insensitive with the flag `i`. */
export function definer(name: string, flags: 'u' | 'iu'): (line: string) => string | null {
  const rules = symbolRules.map(({ what, before, after, unless }) => ({
    what,
    unless,
    pattern: new RegExp(`${before}(?:${name})${after}`, flags),
  }));
  return (line) =>
    rules.find(({ pattern, unless }) => pattern.test(line) && !unless?.test(line))?.what ?? null;
}
