import type { HighlightResult } from 'highlight.js';
import type { SyntaxRole } from '../theme/theme.ts';
import { type GrammarName, grammarFor } from './languages.ts';

type Token = { text: string; role: SyntaxRole | null };

/** Lines with an unfinished construct, such as a comment; empty if the next line can be parsed alone. */
export type CodeState = { grammar: GrammarName | null; open: readonly string[] };

export type Highlighter = {
  /** Highlights one complete line. Deterministic for the same lines in the same order. */
  line(state: CodeState, text: string): { tokens: Token[]; state: CodeState };
};

/** A construct is tracked over this many lines; after that, parsing restarts. */
const MAX_OPEN_LINES = 40;
const MAX_LINE = 2000;

export function startCode(language: string): CodeState {
  return { grammar: grammarFor(language), open: [] };
}

/** Used until the grammars are loaded: no highlighting. */
export const noHighlighter: Highlighter = {
  line: (state, text) => ({ tokens: [{ text, role: null }], state }),
};

/** Loads the grammars, some hundred kilobytes: await it after the first paint. */
export async function loadHighlighter(): Promise<Highlighter> {
  const { highlighter, grammars } = await import('./grammars.ts');
  const ready = (name: GrammarName): void => {
    if (highlighter.getLanguage(name)) return;
    highlighter.registerLanguage(name, grammars[name]);
    for (const inner of INNER[name] ?? []) ready(inner);
  };
  return {
    line(state, text) {
      const { grammar, open } = state;
      if (grammar === null || text.length > MAX_LINE) return { tokens: [{ text, role: null }], state };
      ready(grammar);
      const lines = [...open, text];
      const result = highlighter.highlight(`${lines.join('\n')}\n`, {
        language: grammar,
        ignoreIllegals: true,
      });
      const goesOn = endsInside(result) && lines.length < MAX_OPEN_LINES;
      return { tokens: lastLine(result.value), state: { grammar, open: goesOn ? lines : [] } };
    },
  };
}

/** Grammars that embed others. */
const INNER: Partial<Record<GrammarName, GrammarName[]>> = {
  xml: ['javascript', 'css'],
  markdown: ['xml'],
  javascript: ['xml', 'css', 'graphql'],
  typescript: ['xml', 'css', 'graphql'],
  php: ['xml'],
  shell: ['bash'],
  dockerfile: ['bash'],
};

/** If the innermost open rule at the end of the text is not the grammar itself, it has a parent. */
function endsInside(result: HighlightResult): boolean {
  const top: unknown = result._top;
  return typeof top === 'object' && top !== null && 'parent' in top && top.parent !== undefined;
}

const PART = /<span class="([^"]*)">|<\/span>|&(amp|lt|gt|quot|#x27);|[^<&]+|[<&]/g;
const LETTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" };

/** Code inside a string, and embedded grammars. */
const PLAIN = /^(hljs-subst|language-)/;

/** The last line of the highlighter's HTML as tokens. The HTML ends with a newline. */
function lastLine(html: string): Token[] {
  let tokens: Token[] = [];
  const roles: (SyntaxRole | null)[] = [];
  const body = html.replace(/\n((?:<\/span>)*)$/, '$1');
  for (const [part, scope, letter] of body.matchAll(PART)) {
    if (scope !== undefined) roles.push(PLAIN.test(scope) ? null : (roleOf(scope) ?? roles.at(-1) ?? null));
    else if (part === '</span>') roles.pop();
    else {
      const text = letter === undefined ? part : (LETTERS[letter] ?? part);
      const newline = text.lastIndexOf('\n');
      if (newline !== -1) tokens = [];
      const kept = text.slice(newline + 1);
      if (kept !== '') add(tokens, kept, roles.at(-1) ?? null);
    }
  }
  return tokens;
}

function add(tokens: Token[], text: string, role: SyntaxRole | null): void {
  const last = tokens.at(-1);
  if (last?.role === role && last !== undefined) last.text += text;
  else tokens.push({ text, role });
}

const ROLES: Readonly<Record<string, SyntaxRole>> = {
  keyword: 'keyword',
  'selector-pseudo': 'keyword',
  meta: 'comment',
  string: 'string',
  regexp: 'string',
  symbol: 'constant',
  bullet: 'keyword',
  code: 'string',
  link: 'function',
  quote: 'comment',
  number: 'number',
  literal: 'constant',
  comment: 'comment',
  doctag: 'comment',
  function: 'function',
  title: 'function',
  section: 'function',
  built_in: 'type',
  type: 'type',
  class: 'type',
  variable: 'constant',
  'template-variable': 'constant',
  attr: 'function',
  attribute: 'type',
  property: 'type',
  name: 'tag',
  tag: 'tag',
  'selector-tag': 'tag',
  'selector-class': 'function',
  'selector-id': 'function',
  addition: 'inserted',
  deletion: 'gone',
};

/** Scopes have the form `hljs-title class_`. */
function roleOf(scope: string): SyntaxRole | null {
  const name = scope.replace(/^hljs-/, '').split(' ')[0] ?? '';
  if (name === 'title' && scope.includes('class_')) return 'type';
  return ROLES[name] ?? null;
}
