import type { ProviderEvent } from '../../contract/provider.ts';
import type { Splitter } from './splitter.ts';

/** How a reply in channels starts: gpt-oss writes this format, and some servers pass it on unparsed. */
export const HARMONY_OPENINGS = ['<|channel|>', '<|start|>'];

const MARK = /<\|(start|channel|constrain|message|end|return|call)\|>/;
/** The longest marker. */
const LONGEST_MARK = '<|constrain|>'.length;
/** A longer header is not a header. */
const LONGEST_HEAD = 300;

type Message = { type: 'text' | 'thinking' } | { type: 'call'; name: string };

/**
 * A reply in channels, in chunks of any size: `analysis` is thinking, a message to a function becomes a
 * `<tool_call>` block, and everything else is text. Drops only markers and headers.
 */
export function createHarmonySplitter(): Splitter {
  let held = '';
  /** The text before `<|message|>`; undefined outside a header. */
  let head: string | undefined;
  let message: Message = { type: 'text' };
  let body = '';

  function* say(text: string): Generator<ProviderEvent> {
    if (text === '') return;
    if (head !== undefined) {
      head += text;
      if (head.length <= LONGEST_HEAD) return;
      yield { type: 'text', text: head };
      head = undefined;
    } else if (message.type === 'call') body += text;
    else yield { type: message.type, text };
  }

  function* close(): Generator<ProviderEvent> {
    if (message.type === 'call') {
      const json = body.trim() || '{}';
      const call = `{"name": ${JSON.stringify(message.name)}, "parameters": ${json}}`;
      yield { type: 'text', text: `\n<tool_call>\n${call}\n</tool_call>\n` };
    }
    message = { type: 'text' };
    body = '';
  }

  function* take(mark: string): Generator<ProviderEvent> {
    if (mark === 'message') {
      yield* close();
      message = messageOf(head ?? '');
      head = undefined;
    } else if (mark === 'constrain') head = head === undefined ? undefined : `${head} `;
    else {
      yield* close();
      // The role before a channel belongs to the same header: it may name the function.
      if (mark === 'channel') head = `${head ?? ''} `;
      else head = mark === 'start' ? '' : undefined;
    }
  }

  function* advance(ended: boolean): Generator<ProviderEvent> {
    for (let found = MARK.exec(held); found; found = MARK.exec(held)) {
      yield* say(held.slice(0, found.index));
      held = held.slice(found.index + found[0].length);
      yield* take(found[1] ?? '');
    }
    const open = ended ? -1 : held.lastIndexOf('<', held.length - 1);
    const mayBeMark =
      open >= 0 && held.length - open < LONGEST_MARK && /^<(\|[a-z]*\|?)?$/.test(held.slice(open));
    const certain = mayBeMark ? open : held.length;
    yield* say(held.slice(0, certain));
    held = held.slice(certain);
  }

  return {
    push(text) {
      held += text;
      return [...advance(false)];
    },
    end() {
      const events = [...advance(true)];
      if (head?.trim()) events.push({ type: 'text', text: head });
      head = undefined;
      // The marker that ends a call also ends the reply; many servers omit it.
      return [...events, ...close()];
    },
  };
}

/** A header such as `assistant analysis`, or `commentary to=functions.Read json`. */
function messageOf(head: string): Message {
  const name = /\bto=(?:functions\.)?([\w.:-]+)/.exec(head)?.[1];
  if (name !== undefined) return { type: 'call', name };
  return { type: /\banalysis\b/.test(head) ? 'thinking' : 'text' };
}
