import { taggedBody } from './tagged.ts';

/** How a block begins: in a tag, in a `tool_call` fence, or as mere JSON, which only the reply's end can confirm. */
export type Opening = {
  type: 'tag' | 'fence' | 'loose';
  /** The body is no JSON: quotes in it are quotes. */
  tagged?: true;
  /** All that stands before the body. */
  head: string;
};

export type Place = {
  /** Names that make mere JSON worth waiting for. */
  tools: readonly string[];
  /** Nothing but white space precedes on this line. */
  lineStart: boolean;
  /** Inside a code block of the answer. */
  inCode: boolean;
};

const TAG = '<tool_call>';
const CALL_WORDS = ['tool_call', 'tool_calls'];
const FENCE_WORDS = ['', 'json', 'xml', 'html', ...CALL_WORDS];
const FENCE = /^`{3,}[ \t]*([\w-]*)(\s*)/;
/** Longer than the longest name a tool may have, with room for white space. */
const LOOSE_HEAD = 300;

/**
 * Does a block begin at the start of `rest`? `wait` when only more text can tell. An answer other than `wait`
 * stays the same however the text goes on: this is what makes the parser indifferent to chunking.
 */
export function openingOf(rest: string, place: Place): Opening | 'wait' | undefined {
  const marked = place.inCode ? undefined : markedOf(rest);
  if (marked !== undefined) return marked;
  if (rest.startsWith('<')) return tagOf(rest);
  if (rest.startsWith('`')) return fenceOf(rest, place);
  return place.lineStart && !place.inCode ? looseOf(rest, place.tools) : undefined;
}

/** Words by which some models announce calls that fill the rest of the reply: Mistral's and Llama's. */
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
