import { LINE_MARKS } from './formats.ts';
import { markAt } from './marked.ts';
import { taggedBody } from './tagged.ts';

/**
 * How a block starts: with a tag, a `tool_call` fence, the mark of a model's own format, or as bare JSON or Python. The
 * last two are read only at the end of the reply.
 */
export type Opening = {
  type: 'tag' | 'fence' | 'marked' | 'loose';
  /** The body is not JSON: quotes are literal. */
  tagged?: true;
  /** Everything before the body. */
  head: string;
};

export type Place = {
  /** Tool names that make bare JSON a candidate. */
  tools: readonly string[];
  /** Only white space precedes on this line. */
  lineStart: boolean;
  /** The text before ends a sentence or announces something, also in the middle of a line. */
  announced: boolean;
  /** Inside a code block of the reply. */
  inCode: boolean;
};

const TAG = '<tool_call>';
const CALL_WORDS = ['tool_call', 'tool_calls'];
const LOOSE_WORDS = ['', 'json', 'python', 'py', 'tool_code', 'text', 'plaintext'];
const FENCE_WORDS = [...LOOSE_WORDS, 'xml', 'html', ...CALL_WORDS];
const FENCE = /^`{3,}[ \t]*([\w-]*)(\s*)/;
/** Longer than the longest tool name, with space for white space. */
const LOOSE_HEAD = 300;

/**
 * Whether a block starts at the beginning of `rest`; `wait` if more text is needed. Any other result is
 * final, whatever text follows: this makes the parser independent of chunking.
 */
export function openingOf(rest: string, place: Place): Opening | 'wait' | undefined {
  const tag = rest.startsWith('<') ? tagOf(rest) : undefined;
  if (typeof tag === 'object') return tag;
  const marked = place.inCode ? undefined : markedOf(rest);
  if (marked !== undefined) return marked;
  if (tag) return tag;
  if (rest.startsWith('`')) return fenceOf(rest, place);
  if (place.inCode) return undefined;
  if (place.lineStart) return lineMarkOf(rest, place.tools) ?? looseOf(rest, place.tools);
  return place.announced && /^[{[]/.test(rest) ? looseOf(rest, place.tools) : undefined;
}

function markedOf(rest: string): Opening | 'wait' | undefined {
  const mark = markAt(rest);
  return typeof mark === 'object' ? { type: 'marked', head: mark.head } : mark;
}

const ACTION_INPUT = 'Action Input:';

function lineMarkOf(rest: string, tools: readonly string[]): Opening | 'wait' | undefined {
  const mark = LINE_MARKS.find((word) => rest.startsWith(word));
  if (mark === undefined) return LINE_MARKS.some((word) => word.startsWith(rest)) ? 'wait' : undefined;
  if (mark !== 'Action:') return { type: 'marked', head: mark };
  const [, name = '', after = ''] = /^Action:[ \t]*([\w.-]*)\s*([\s\S]*)/.exec(rest) ?? [];
  if (ACTION_INPUT.startsWith(after)) return 'wait';
  const isCall = after.startsWith(ACTION_INPUT) || after.startsWith('{');
  return isCall && tools.includes(name) ? { type: 'marked', head: mark } : undefined;
}

/** Whether bare JSON or Python may start with this text, which is not at a bracket. */
export function mayStartLine(rest: string, tools: readonly string[]): boolean {
  const heads = [...LINE_MARKS, ...tools.flatMap(pythonHeads)];
  return heads.some((head) => rest.startsWith(head) || head.startsWith(rest));
}

function tagOf(rest: string): Opening | 'wait' | undefined {
  if (!rest.startsWith(TAG)) return TAG.startsWith(rest) ? 'wait' : undefined;
  const body = rest.slice(TAG.length).replace(/^\s*(`{3,}[ \t]*\w*\s*)?/, '');
  if (/^(`{1,2})?$/.test(body)) return 'wait';
  if (/^[{[]/.test(body)) return { type: 'tag', head: TAG };
  if (/^[\w.:-]{1,64}\(/.test(body)) return { type: 'tag', tagged: true, head: TAG };
  if (/^[\w.:-]{1,64}$/.test(body)) return 'wait';
  const tagged = taggedBody(body);
  if (tagged === 'wait') return 'wait';
  return tagged ? { type: 'tag', tagged, head: TAG } : undefined;
}

function fenceOf(rest: string, place: Place): Opening | 'wait' | undefined {
  const match = FENCE.exec(rest);
  if (!match) return /^`{1,2}$/.test(rest) ? 'wait' : undefined;
  const [head, word = '', space] = match;
  const body = rest.slice(head.length);
  if (body === '' && space === '')
    return FENCE_WORDS.some((known) => known.startsWith(word)) ? 'wait' : undefined;
  const isCall = CALL_WORDS.includes(word);
  if (!FENCE_WORDS.includes(word) || (place.inCode && !isCall)) return undefined;
  if (body === '') return 'wait';
  if (body.startsWith('<')) {
    const tag = tagOf(body);
    if (typeof tag === 'object') return { ...tag, head: head + tag.head };
    if (tag && (place.inCode || markAt(body) === undefined)) return tag;
  }
  const mark = place.inCode ? undefined : markAt(body);
  if (mark !== undefined) return mark === 'wait' ? mark : { type: 'marked', head: head + mark.head };
  if (isCall) return /^[{[]/.test(body) ? { type: 'fence', head } : undefined;
  const loose = LOOSE_WORDS.includes(word) ? looseOf(body, place.tools) : undefined;
  return typeof loose === 'object' ? { type: 'loose', head } : loose;
}

/** Of the OpenAI API; Llama writes them, also with the name beside the type. */
const FUNCTION_HEADS = ['{"type":"function"', '[{"type":"function"', '{"function":{"name"'];

/** How bare JSON or Python that calls one of these tools starts, without white space. */
export function looseHeads(tools: readonly string[]): string[] {
  return [...FUNCTION_HEADS, ...tools.flatMap(jsonHeads), ...tools.flatMap(pythonHeads)];
}

function jsonHeads(name: string): string[] {
  const heads = ['name', 'tool', 'tool_name', 'function', 'action'].map((key) => `{"${key}":"${name}"`);
  return [...heads, `{"${name}":{`].flatMap((head) => [head, `[${head}`]);
}

function pythonHeads(name: string): string[] {
  const calls = [`${name}(`, `default_api.${name}(`, `functions.${name}(`];
  return calls.flatMap((head) => [head, `[${head}`, `print(${head}`]);
}

function looseOf(rest: string, tools: readonly string[]): Opening | 'wait' | undefined {
  const start = rest.slice(0, LOOSE_HEAD).replace(/\s+/g, '').replaceAll("'", '"');
  const heads = looseHeads(tools);
  if (heads.some((head) => start.startsWith(head))) return { type: 'loose', head: '' };
  return rest.length < LOOSE_HEAD && heads.some((head) => head.startsWith(start)) ? 'wait' : undefined;
}
