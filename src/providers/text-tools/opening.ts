import { taggedBody } from './tagged.ts';

/**
 * How a block starts: with a tag, a `tool_call` fence, or as bare JSON, which is confirmed only at the end of
 * the reply.
 */
export type Opening = {
  type: 'tag' | 'fence' | 'loose';
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
  /** Inside a code block of the reply. */
  inCode: boolean;
};

const TAG = '<tool_call>';
const CALL_WORDS = ['tool_call', 'tool_calls'];
const FENCE_WORDS = ['', 'json', 'xml', 'html', ...CALL_WORDS];
const FENCE = /^`{3,}[ \t]*([\w-]*)(\s*)/;
/** Longer than the longest tool name, with space for white space. */
const LOOSE_HEAD = 300;

/**
 * Whether a block starts at the beginning of `rest`; `wait` if more text is needed. Any other result is
 * final, whatever text follows: this makes the parser independent of chunking.
 */
export function openingOf(rest: string, place: Place): Opening | 'wait' | undefined {
  const marked = place.inCode ? undefined : markedOf(rest);
  if (marked !== undefined) return marked;
  if (rest.startsWith('<')) return tagOf(rest);
  if (rest.startsWith('`')) return fenceOf(rest, place);
  return place.lineStart && !place.inCode ? looseOf(rest, place.tools) : undefined;
}

/** Markers of some models (Mistral, Llama) for calls that fill the rest of the reply. */
const MARKS = ['[TOOL_CALLS]', '<|python_tag|>'];

function markedOf(rest: string): Opening | 'wait' | undefined {
  const mark = MARKS.find((word) => rest.startsWith(word));
  if (mark === undefined) return MARKS.some((word) => word.startsWith(rest)) ? 'wait' : undefined;
  const body = rest.slice(mark.length).trimStart();
  if (body === '') return 'wait';
  return /^[{[]/.test(body) ? { type: 'loose', head: mark } : undefined;
}

function tagOf(rest: string): Opening | 'wait' | undefined {
  if (!rest.startsWith(TAG)) return TAG.startsWith(rest) ? 'wait' : undefined;
  const body = rest.slice(TAG.length).replace(/^\s*(`{3,}[ \t]*\w*\s*)?/, '');
  if (/^(`{1,2})?$/.test(body)) return 'wait';
  if (/^[{[]/.test(body)) return { type: 'tag', head: TAG };
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
    return typeof tag === 'object' ? { ...tag, head: head + tag.head } : tag;
  }
  if (isCall) return /^[{[]/.test(body) ? { type: 'fence', head } : undefined;
  const loose = word === '' || word === 'json' ? looseOf(body, place.tools) : undefined;
  return typeof loose === 'object' ? { type: 'loose', head } : loose;
}

function looseOf(rest: string, tools: readonly string[]): Opening | 'wait' | undefined {
  const start = rest.slice(0, LOOSE_HEAD).replace(/\s+/g, '').replaceAll("'", '"');
  const heads = tools.flatMap((name) => [`{"name":"${name}"`, `[{"name":"${name}"`]);
  if (heads.some((head) => start.startsWith(head))) return { type: 'loose', head: '' };
  return rest.length < LOOSE_HEAD && heads.some((head) => head.startsWith(start)) ? 'wait' : undefined;
}
