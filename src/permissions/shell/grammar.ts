import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import type { Language, Parser, TreeCursor } from 'web-tree-sitter';

/** A syntax tree node as a plain value: `start` and `end` are offsets in the text. */
export type SyntaxNode = {
  type: string;
  named: boolean;
  /** Inserted by the grammar's error recovery; not in the text. */
  missing: boolean;
  start: number;
  end: number;
  children: SyntaxNode[];
};

declare const ACA_VERSION: string | undefined;

const MAX_DEPTH = 400;

let loading: Promise<void> | undefined;
let grammar: { parser: Parser; kinds: Kind[] } | undefined;

/** Facts about every node of a type; a leaf never has children. */
type Kind = { type: string; named: boolean; leaf: boolean };
const LEAVES = new Set([
  'word',
  'variable_name',
  'special_variable_name',
  'comment',
  'raw_string',
  'string_content',
]);

/** Loads the shell grammar, once; all parsing of command lines is synchronous after that. */
export function loadGrammar(): Promise<void> {
  loading ??= load();
  return loading;
}

async function load(): Promise<void> {
  // The grammar is one huge function. Optimizing it takes half a second of CPU, which would delay the
  // program's exit; command lines are short enough to parse without.
  setFlagsFromString('--liftoff-only');
  const library = await import('web-tree-sitter');
  await library.Parser.init();
  const language = await library.Language.load(grammarFile());
  grammar = { parser: new library.Parser().setLanguage(language), kinds: kindsOf(language) };
  setFlagsFromString('--no-liftoff-only');
}

function kindsOf(language: Language): Kind[] {
  return language.types.map((type, id) => {
    const named = language.nodeTypeIsNamed(id);
    return { type, named, leaf: !named || LEAVES.has(type) };
  });
}

/** Next to the chunk in a built program, in its package when running from source. */
function grammarFile(): string {
  const name = 'tree-sitter-bash.wasm';
  if (typeof ACA_VERSION === 'string') return fileURLToPath(new URL(name, import.meta.url));
  return createRequire(import.meta.url).resolve(`tree-sitter-bash/${name}`);
}

/** The syntax tree of a text; null if it is too deep to parse safely. */
export function readSyntax(text: string): SyntaxNode | null {
  if (grammar === undefined) {
    throw new Error('The shell grammar is not loaded: await loadGrammar() before judging commands.');
  }
  const { parser, kinds } = grammar;
  const tree = parser.parse(text);
  if (tree === null) return null;
  const cursor = tree.walk();
  try {
    return copyTree(cursor, { kinds, broken: tree.rootNode.hasError }, 0);
  } finally {
    cursor.delete();
    tree.delete();
  }
}

/** Every cursor call crosses the WASM boundary, so there are as few as possible. */
function copyTree(
  cursor: TreeCursor,
  from: { kinds: readonly Kind[]; broken: boolean },
  depth: number,
): SyntaxNode | null {
  if (depth > MAX_DEPTH) return null;
  // Only errors, which are not in the table, need further calls.
  const kind = from.kinds[cursor.nodeTypeId] ?? { type: cursor.nodeType, named: true, leaf: false };
  const node: SyntaxNode = {
    type: kind.type,
    named: kind.named,
    missing: from.broken && cursor.nodeIsMissing,
    start: cursor.startIndex,
    end: cursor.endIndex,
    children: [],
  };
  if (!kind.leaf && cursor.gotoFirstChild()) {
    do {
      const child = copyTree(cursor, from, depth + 1);
      if (child === null) return null;
      node.children.push(child);
    } while (cursor.gotoNextSibling());
    cursor.gotoParent();
  }
  return node;
}

/** A loop node with these children. */
export function loopOf(children: SyntaxNode[]): SyntaxNode {
  const start = children[0]?.start ?? 0;
  return {
    type: 'for_statement',
    named: true,
    missing: false,
    start,
    end: children.at(-1)?.end ?? start,
    children,
  };
}
