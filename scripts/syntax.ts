import { parseSync } from 'vite';

/** A node of the syntax tree. */
export type Node = { type: string; start: number; end: number; [key: string]: unknown };

export type Parsed = { body: Node[]; comments: { start: number; end: number; value: string }[] };

export function parseTypes(file: string, text: string): Parsed {
  const { program, comments, errors } = parseSync(file, text);
  const [first] = errors;
  if (first) throw new Error(`${file}: ${first.message}`);
  // The parser's own types list every kind of node; here nodes are distinguished by `type`.
  return { body: program.body as unknown as Node[], comments };
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

export function nodesIn(value: unknown): Node[] {
  return Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [];
}

export function nameOf(value: unknown): string {
  return isNode(value) && typeof value.name === 'string' ? value.name : '';
}

/** This node and all its descendants. */
export function* walk(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const item of value) yield* walk(item);
  else if (isNode(value)) {
    yield value;
    for (const child of Object.values(value)) if (typeof child === 'object') yield* walk(child);
  }
}

/** The doc comment directly before a node. */
export function commentBefore(
  { start }: Pick<Node, 'start'>,
  text: string,
  comments: Parsed['comments'],
): { start: number; words: string } | null {
  const found = comments.findLast(
    (comment) => comment.end <= start && /^[\s|]*$/.test(text.slice(comment.end, start)),
  );
  if (!found?.value.startsWith('*')) return null;
  const words = found.value
    .slice(1)
    .split('\n')
    .map((line) => line.replace(/^\s*\*?\s?/, '').trim());
  return { start: found.start, words: words.join(' ').trim() };
}
