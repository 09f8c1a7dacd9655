import { sign } from '../pieces.ts';
import { type Json, records } from '../protocol.ts';
import { lostReasoning, sentMessages } from './lost-reasoning.ts';
import type { Rule, Violation } from './rule.ts';

const ID = /^[a-zA-Z0-9]{9}$/;

/** A piece of a thought; the last one has the signature of all. */
export function thinkingChunk(piece: string, whole: false | { text: string }): Json {
  const thinking = [{ type: 'text', text: piece }];
  return { type: 'thinking', thinking, ...(whole && { signature: sign(whole.text) }) };
}

/** What Mistral rejects or silently degrades. Pages are those of docs.mistral.ai. */
export const mistralRules: Rule[] = [
  {
    rule: 'ids of calls have nine letters or digits',
    page: 'capabilities/function_calling',
    *check({ body }) {
      for (const message of records(body.messages)) {
        const ids = records(message.tool_calls).map(({ id }) => id);
        for (const id of message.role === 'tool' ? [message.tool_call_id] : ids)
          if (!ID.test(String(id)))
            yield `Tool call id was ${String(id)} but must be a-z, A-Z, 0-9, with a length of 9.`;
      }
    },
  },
  {
    rule: 'an assistant answers results before the user speaks',
    page: 'capabilities/function_calling',
    *check({ body }) {
      const messages = records(body.messages);
      for (const [i, { role }] of messages.entries())
        if (role === 'user' && messages[i - 1]?.role === 'tool')
          yield `Unexpected role 'user' after role 'tool'`;
    },
  },
  {
    rule: 'stream_options are unknown',
    page: 'api/endpoint/chat',
    *check({ body }) {
      if (body.stream_options !== undefined)
        yield { status: 422, message: 'stream_options: Extra inputs are not permitted' };
    },
  },
  {
    rule: 'each Mistral model takes its own effort levels',
    page: 'capabilities/reasoning',
    *check({ body: { reasoning_effort: effort }, model }) {
      if (effort === undefined) return;
      const isLarge = model.startsWith('mistral-large-4');
      const isSmall = /^mistral-(medium-(3[.-]5|latest)|small-(4|latest))/.test(model);
      const levels = isLarge ? ['low', 'medium', 'high'] : isSmall ? ['none', 'high'] : [];
      if (!levels.includes(String(effort)))
        yield { status: 422, message: `reasoning_effort: '${String(effort)}' is not supported by ${model}` };
    },
  },
  {
    rule: 'Mistral gets the thinking of a tool loop back',
    page: 'capabilities/reasoning',
    check: (request) => lostReasoning(request, { fields: ['thinking part'], scope: 'loop' }),
  },
  {
    rule: 'a thinking chunk of Mistral goes back with its signature',
    page: 'api/endpoint/chat (ThinkChunk)',
    *check(request): Generator<Violation> {
      for (const { index, message, original } of sentMessages(request, 'loop')) {
        const chunks = records(message.content).filter(({ type }) => type === 'thinking');
        if (chunks.some(({ signature }) => signature === undefined) && original.thinking !== '')
          yield { degraded: `messages[${index}] came back without the signature of its thinking` };
      }
    },
  },
];
