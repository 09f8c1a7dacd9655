import type { ProviderEvent } from '../../contract/provider.ts';
import { createHarmonySplitter, HARMONY_OPENINGS } from './harmony.ts';
import type { Splitter } from './splitter.ts';

/**
 * How to separate a model's thinking from its answer, when both arrive as content.
 * - `tags`: thinking is between tags at the very start of the reply.
 * - `bare`: the opening tag never arrives; everything before the closing tag is thinking.
 * - `unknown`: either of these, or no thinking at all.
 */
export type ThinkMode = 'tags' | 'bare' | 'unknown';

const CLOSE = '</think>';
const PAIRS = [
  { open: '<think>', close: CLOSE },
  { open: '<thinking>', close: '</thinking>' },
  { open: '<thought>', close: '</thought>' },
  { open: '<reasoning>', close: '</reasoning>' },
  // Gemma, Magistral, Command, Seed and Kimi.
  { open: '<|channel>thought', close: '<channel|>' },
  { open: '<unused94>thought', close: '<unused95>' },
  { open: '[THINK]', close: '[/THINK]' },
  { open: '<|START_THINKING|>', close: '<|END_THINKING|>' },
  { open: '<seed:think>', close: '</seed:think>' },
  { open: '◁think▷', close: '◁/think▷' },
];
const OPENINGS = [...PAIRS.map(({ open }) => open), ...HARMONY_OPENINGS];

/**
 * Splits one reply's content, in chunks of any size, into text and thinking. Drops only tags and the white
 * space around them, and holds back only what may turn out to be a tag. A closing tag in matching quotes or
 * backticks counts as text.
 */
export function createThinkSplitter(mode: ThinkMode): Splitter {
  let kind: 'text' | 'thinking' = mode === 'bare' ? 'thinking' : 'text';
  /** The closing tag to watch for; undefined once the answer has certainly started. */
  let close = mode === 'tags' ? undefined : CLOSE;
  let atOpening = true;
  let opened = false;
  let skipSpace = false;
  let held = '';
  let lastCharacter = '';
  let said = false;
  let ended = false;
  /** Takes over the whole reply if it turns out to be in channels. */
  let channels: Splitter | undefined;

  /** Emits the first `length` held characters. */
  function* say(length: number): Generator<ProviderEvent> {
    const text = held.slice(0, length);
    held = held.slice(length);
    if (text === '') return;
    lastCharacter = text.slice(-1);
    said = true;
    yield { type: kind, text };
  }

  /** Processes the held text as far as it is decidable. */
  function* advance(): Generator<ProviderEvent> {
    while (held !== '') {
      if (skipSpace) {
        held = held.trimStart();
        if (held === '') return;
        skipSpace = false;
      }
      if (atOpening) {
        const start = held.trimStart();
        const pair = PAIRS.find(({ open }) => start.startsWith(open));
        if (!said && HARMONY_OPENINGS.some((open) => start.startsWith(open))) {
          channels = createHarmonySplitter();
          held = '';
          return yield* channels.push(start);
        }
        if (!pair && !ended && OPENINGS.some((open) => open.startsWith(start))) return;
        atOpening = false;
        if (!pair) continue;
        held = start.slice(pair.open.length);
        kind = 'thinking';
        close = pair.close;
        opened = true;
        lastCharacter = '';
        skipSpace = true;
        continue;
      }
      if (close === undefined) return yield* say(held.length);

      const at = held.indexOf(close);
      if (at < 0) return yield* say(ended ? held.length : held.length - undecided(held, close));
      const after = at + close.length;
      const quote = at > 0 ? held.charAt(at - 1) : lastCharacter;
      if (quote !== '' && '"\'`'.includes(quote)) {
        if (held.length === after && !ended) return yield* say(at);
        if (held.charAt(after) === quote) {
          yield* say(after);
          continue;
        }
      }
      yield* say(held.slice(0, at).trimEnd().length);
      if (kind === 'text') yield { type: 'reclassify', as: 'thinking' };
      held = held.trimStart().slice(close.length);
      kind = 'text';
      close = undefined;
      atOpening = true;
      skipSpace = true;
    }
  }

  return {
    push(text) {
      if (channels) return channels.push(text);
      held += text;
      return [...advance()];
    },
    end() {
      if (channels) return channels.end();
      ended = true;
      const events = [...advance()];
      const isUnclosed = mode === 'bare' && !opened && close !== undefined && said;
      return isUnclosed ? [...events, { type: 'reclassify', as: 'text' }] : events;
    },
  };
}

/** How many characters at the end of `text` may belong to `tag` or to the white space before it. */
function undecided(text: string, tag: string): number {
  let length = Math.min(text.length, tag.length - 1);
  while (!text.endsWith(tag.slice(0, length))) length--;
  return text.length - text.slice(0, text.length - length).trimEnd().length;
}
