import type { SyntaxNode } from './grammar.ts';
import type { ShellLine, Word, WordReader } from './shell-line.ts';

/**
 * `shape` is `text` with every quoted character neutralized, to search for braces; IFS has its own marker.
 */
type Draft = Omit<Word, 'raw'> & { shape: string };

const IFS_MARK = '\ue0ff';
const MAX_BRACES = 64;
const ANSI_ESCAPE =
  /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c([\s\S])|([\s\S]))/g;
const ANSI_NAMES: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  e: '\x1b',
  E: '\x1b',
  a: '\x07',
  b: '\b',
};

/** The words at `node`: more than one if brace expansion or spaces in a variable split it. */
export function readWords(node: SyntaxNode, reader: WordReader): Word[] {
  const draft = emptyDraft();
  addNode(node, draft, reader);
  const raw = reader.text.slice(node.start, node.end);
  const pieces = expandBraces(draft.shape).flatMap((one) => one.split(IFS_MARK));
  if (pieces.length === 1) {
    const sure = !draft.shape.includes('{') || !/\{[\s\S]*(,|\.\.)[\s\S]*\}/.test(draft.shape);
    return [wordOf(draft, { raw, text: draft.text, sure })];
  }
  return pieces
    .filter((piece) => piece !== '')
    .map((text) => wordOf(draft, { raw, text: unshape(text), sure: false }));
}

/** Written out: copying objects with spread dominates the time of a first judgement. */
function wordOf(draft: Draft, { raw, text, sure }: { raw: string; text: string; sure: boolean }): Word {
  const { literal, glob, variables, opaque, nested } = draft;
  return { text, raw, literal: literal && sure, glob, variables, opaque: opaque || !sure, nested };
}

/** A literal word. */
export function plainWord(text: string): Word {
  return { text, raw: text, literal: true, glob: false, variables: [], opaque: false, nested: [] };
}

/** A text that expands as in double quotes: the body of a here-document. */
export function readExpanding(node: SyntaxNode, reader: WordReader): Word {
  const draft = emptyDraft();
  addString(node, draft, reader);
  const raw = reader.text.slice(node.start, node.end);
  // The grammar does not recognize these there.
  for (const [, script = ''] of raw.matchAll(/(?<!\\)`((?:[^`\\]|\\[\s\S])*)`/g)) {
    draft.literal = false;
    draft.nested.push(reader.inner(script.replaceAll(/\\([$`\\])/g, '$1')));
  }
  return wordOf(draft, { raw, text: draft.text, sure: true });
}

function emptyDraft(): Draft {
  return { text: '', shape: '', literal: true, glob: false, variables: [], opaque: false, nested: [] };
}

function addNode(node: SyntaxNode, draft: Draft, reader: WordReader): void {
  const raw = reader.text.slice(node.start, node.end);
  switch (node.type) {
    case 'command_name':
    case 'concatenation': {
      let at = node.start;
      for (const child of node.children) {
        if (child.start !== at) reader.doubts.add('unparsed_word');
        addNode(child, draft, reader);
        at = child.end;
      }
      if (at !== node.end) reader.doubts.add('unparsed_word');
      return;
    }
    case 'raw_string':
      addQuoted(raw.slice(1, -1), draft);
      return;
    case 'string':
      addString(
        { start: node.start + 1, end: node.end - 1, children: node.children.slice(1, -1) },
        draft,
        reader,
      );
      return;
    case 'ansi_c_string':
      draft.literal = false;
      draft.opaque = true;
      addQuoted(decodeAnsi(raw.slice(2, -1)), draft);
      return;
    case 'simple_expansion':
    case 'expansion':
    case 'arithmetic_expansion':
    case 'command_substitution':
    case 'process_substitution':
      addExpansion(node, draft, reader);
      return;
    case '$':
      // Before most characters it would start an expansion that the grammar has missed.
      if (raw !== '$' || !/^([\s;&|)/.,:+=%^~\]}]|$)/.test(reader.text.slice(node.end, node.end + 1))) {
        reader.doubts.add('unparsed_word');
      }
      draft.text += '$';
      draft.shape += '$';
      return;
    default:
      addBare(raw, draft, reader);
      if (
        !/^(word|number|variable_name|test_operator|extglob_pattern|brace_expression|heredoc_start)$/.test(
          node.type,
        )
      ) {
        draft.literal = false;
        draft.opaque = true;
        for (const child of substitutionsIn(node)) addExpansion(child, draft, reader);
      }
  }
}

/** Unquoted characters, with escapes. */
function addBare(raw: string, draft: Draft, reader: WordReader): void {
  for (let at = 0; at < raw.length; at++) {
    const c = raw[at] ?? '';
    if (c === '\\') {
      at += 1;
      const next = raw[at];
      if (next === undefined) reader.doubts.add('trailing_backslash');
      else addQuoted(next, draft);
      continue;
    }
    if (/[\s;&|<>()"'`]/.test(c) || (c === '$' && /[\w{([@*#?!$'"-]/.test(raw[at + 1] ?? ''))) {
      reader.doubts.add('unparsed_word');
    }
    if (c === '~' && (draft.text === '' || /[=:]$/.test(draft.text))) {
      draft.literal = false;
      draft.opaque = true;
    }
    if (/[*?[]/.test(c)) draft.glob = true;
    draft.text += c;
    draft.shape += c;
  }
}

/** In the shape, quoted characters with a meaning in brace expansion are mapped to a private range. */
function addQuoted(text: string, draft: Draft): void {
  draft.text += text;
  draft.shape += text.replaceAll(/[{},.]/g, (c) => String.fromCharCode(0xe000 + c.charCodeAt(0)));
}

function unshape(text: string): string {
  return text.replaceAll(/[\ue000-\ue07f]/g, (c) => String.fromCharCode(c.charCodeAt(0) - 0xe000));
}

type Quoted = { start: number; end: number; children: SyntaxNode[] };

/** The contents of double quotes: characters and expansions. */
function addString({ start, end, children }: Quoted, draft: Draft, reader: WordReader): void {
  let at = start;
  const addText = (to: number) => {
    const raw = reader.text.slice(at, to);
    if (/(^|[^\\])(\\\\)*(`|\$[\w{(@*#?!$[-])/.test(raw)) reader.doubts.add('unparsed_string');
    addQuoted(raw.replaceAll(/\\([$`"\\])/g, '$1'), draft);
    at = to;
  };
  for (const child of children) {
    if (!/expansion$|substitution$/.test(child.type)) continue;
    addText(child.start);
    addExpansion(child, draft, reader);
    at = child.end;
  }
  addText(end);
}

function addExpansion(node: SyntaxNode, draft: Draft, reader: WordReader): void {
  const raw = reader.text.slice(node.start, node.end);
  draft.literal = false;
  if (node.type === 'command_substitution' || node.type === 'process_substitution') {
    const script = raw.startsWith('`') ? raw.slice(1, -1).replaceAll(/\\([$`\\])/g, '$1') : raw.slice(2, -1);
    const line = reader.inner(script);
    draft.nested.push(line);
    if (node.type === 'process_substitution') draft.opaque = true;
    addQuoted(likelyOutput(line) ?? `$(${script})`, draft);
    return;
  }
  const [, name] = /^\$\{?([A-Za-z_]\w*|[0-9]+|[@*#?$!-])\}?$/.exec(raw) ?? [];
  if (name === 'IFS') {
    draft.opaque = true;
    draft.text += ' ';
    draft.shape += IFS_MARK;
    return;
  }
  if (name !== undefined) draft.variables.push(name);
  else draft.opaque = !isPlainSum(raw) || draft.opaque;
  for (const child of substitutionsIn(node)) draft.nested.push(...nestedOf(child, reader));
  const value = name === undefined ? undefined : reader.values.get(name);
  addQuoted(value ?? raw, draft);
}

function nestedOf(node: SyntaxNode, reader: WordReader): ShellLine[] {
  const draft = emptyDraft();
  addExpansion(node, draft, reader);
  return draft.nested;
}

/** `$((1 + 2))`: numbers only. A name could have an index, and an index a command. */
function isPlainSum(raw: string): boolean {
  return /^\$\(\([\d\s+*/%()<>=!-]*\)\)$/.test(raw);
}

/** The outermost substitutions below a node. */
export function substitutionsIn(node: SyntaxNode): SyntaxNode[] {
  return node.children.flatMap((child) =>
    /^(command|process)_substitution$/.test(child.type) ? [child] : substitutionsIn(child),
  );
}

/** The certain output of `$(echo rm)` and `$(command -v rm)`; undefined if unknown. */
function likelyOutput({ commands }: ShellLine): string | undefined {
  const [command, ...others] = commands;
  if (command === undefined || others.length > 0) return undefined;
  const texts = command.words.slice(1).map(({ text }) => text);
  if (command.name === 'echo') return texts.filter((text) => !/^-[neE]+$/.test(text)).join(' ');
  if (command.name === 'printf') return texts.length > 1 ? texts.slice(1).join('') : texts[0];
  if (/^(which|type|command)$/.test(command.name)) return texts.at(-1);
  return command.name === 'pwd' ? '$PWD' : undefined;
}

/** The words after brace expansion. Only the word itself if there are too many. */
export function expandBraces(shape: string): string[] {
  if (!shape.includes('{')) return [shape];
  let words = [shape];
  for (let round = 0; round < MAX_BRACES; round++) {
    const next = words.flatMap(expandOnce);
    if (next.length === words.length) return next;
    if (next.length > MAX_BRACES) return [...words, ...next.slice(0, MAX_BRACES)];
    words = next;
  }
  return words;
}

function expandOnce(word: string): string[] {
  const list = /^([\s\S]*?)\{([^{}]*,[^{}]*)\}([\s\S]*)$/.exec(word);
  if (list !== null) {
    const [, before = '', inside = '', behind = ''] = list;
    return inside.split(',').map((one) => `${before}${one}${behind}`);
  }
  const range = /^([\s\S]*?)\{(\w+)\.\.(\w+)(?:\.\.-?\d+)?\}([\s\S]*)$/.exec(word);
  if (range === null) return [word];
  const [, before = '', first = '', last = '', behind = ''] = range;
  return [`${before}${first}${behind}`, `${before}${last}${behind}`];
}

function decodeAnsi(body: string): string {
  return body.replaceAll(ANSI_ESCAPE, (_, hex, short, long, octal, control, other: string | undefined) => {
    const code = hex ?? short ?? long;
    if (code !== undefined) return codePoint(Number.parseInt(code, 16));
    if (octal !== undefined) return codePoint(Number.parseInt(octal, 8) & 0xff);
    if (control !== undefined) return codePoint(String(control).charCodeAt(0) & 0x1f);
    return ANSI_NAMES[other ?? ''] ?? other ?? '';
  });
}

function codePoint(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
}
