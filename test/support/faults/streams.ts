import { expect } from 'vitest';
import type { ProtocolName } from '../model-server/protocol.ts';
import {
  type Answer,
  both,
  calls,
  cuts,
  failsMidway,
  garbage,
  keepAlive,
  says,
  shreds,
  slowly,
  thinks,
} from '../model-server/script.ts';
import type { Fault, PerProtocol } from './fault.ts';

/** Frames until the first two pieces of a text, `Half an `, are sent. */
export const midText: PerProtocol<number> = {
  anthropic: 5,
  'openai-chat': 3,
  'openai-responses': 6,
  google: 2,
  ollama: 2,
};
const answer = says('Half an answer is all there is.');
/** A broken connection loses unread data; trailing spaces may be held back. */
const andTheRest: string = expect.stringMatching(/^Half( an ?)? and the rest$/);
/** The second request contains the partial reply, and asks the model to continue. */
const goesOn: Fault['also'] = ({ server, result }) => {
  const said = server.requests[1]?.messages.map(({ role, text }) => ({ role, text }));
  const kept = result.slice(0, -' and the rest'.length);
  expect(said).toEqual([
    { role: 'user', text: 'go' },
    { role: 'assistant', text: kept },
    { role: 'user', text: expect.stringContaining('Continue exactly where it stops') },
  ]);
};

/** Frames until part of a call's arguments after `Writing.` is sent, or the whole call if it is not split. */
const midCall: PerProtocol<number> = {
  anthropic: 10,
  'openai-chat': 6,
  'openai-responses': 12,
  google: 3,
  ollama: 3,
};
const writing = both('Writing.', ['Write', { file_path: 'made.txt', content: 'made' }]);
const made = { success: true, text: expect.any(String) as string };
const madeOnce: Fault['also'] = async ({ space }) =>
  expect(await space.tree()).toEqual({ 'a.txt': 'alpha', 'b.txt': 'beta', 'made.txt': 'made' });

const noOpening = 'its first frame already says something';
const cut = { code: 1, stopReason: 'error', kind: 'cut' } as const;
const garbled = { code: 1, stopReason: 'error', kind: 'protocol' } as const;

const at = (places: PerProtocol<number>, how: 'break' | 'end') => (protocol: ProtocolName, reply: Answer) =>
  cuts(reply, { after: places[protocol], how });

/** The reply starts well and breaks off, or is not a reply at all. */
export const streams: Fault[] = [
  {
    name: '[V06] broken after the headers: nothing was said, so it is tried again',
    script: [cuts(answer, { after: 0 }), says('fine')],
    upshot: { requests: 2, retries: ['timeout'] },
  },
  {
    name: '[V06] broken after the opening frame: nothing was said, so it is tried again',
    script: (protocol) => [cuts(answer, { after: protocol === 'openai-responses' ? 2 : 1 }), says('fine')],
    upshot: { requests: 2, retries: ['timeout'] },
    except: { google: noOpening, ollama: noOpening },
  },
  {
    name: '[V06] an error frame before the first word: tried again',
    script: (protocol) => [
      failsMidway(answer, { after: protocol === 'google' || protocol === 'ollama' ? 0 : 1 }),
      says('fine'),
    ],
    // Each vendor's usual error: OpenAI's and Ollama's servers report a failure, not an overload.
    upshot: (protocol) => ({
      requests: 2,
      retries: [protocol === 'anthropic' || protocol === 'google' ? 'overloaded' : 'server_error'],
    }),
  },
  {
    name: '[N11] [V06] broken in mid-text: what was said is kept, and the model goes on from there',
    script: (protocol) => [
      slowly(at(midText, 'break')(protocol, answer), { betweenMs: 60 }),
      says(' and the rest'),
    ],
    upshot: { requests: 2, retries: ['cut'], result: andTheRest },
    words: 'Answer cut off, retrying in 1s (1 of 3). The connection was lost in the middle of the answer',
    also: goesOn,
  },
  {
    name: '[N11] [V06] ended politely in mid-text: no less broken',
    script: (protocol) => [at(midText, 'end')(protocol, answer), says(' and the rest')],
    upshot: { requests: 2, retries: ['cut'], result: andTheRest },
    words: 'The answer was cut off.',
    also: goesOn,
  },
  {
    name: 'everything said, but no word that this was all: the model says whether it was',
    script: [cuts(answer, { after: 'content', how: 'end' }), says(' and the rest')],
    upshot: { requests: 2, retries: ['cut'], result: 'Half an answer is all there is. and the rest' },
    also: goesOn,
  },
  {
    name: '[N11] [V06] an error frame in mid-text: the words are told, and the model goes on',
    script: (protocol) => [
      failsMidway(answer, { after: midText[protocol], message: 'The engine is overloaded' }),
      says(' and the rest'),
    ],
    upshot: { requests: 2, retries: ['overloaded'], result: andTheRest },
    words: 'The engine is overloaded',
    also: goesOn,
  },
  {
    name: '[N11] broken time and again: all that was said is kept, and the session can go on',
    script: (protocol) => [
      ...Array.from({ length: 4 }, () => at(midText, 'end')(protocol, answer)),
      says('went on'),
    ],
    upshot: {
      ...cut,
      requests: 4,
      retries: ['cut', 'cut', 'cut'],
      result: expect.stringMatching(/^(Half an ?){4}$/) as string,
    },
    words: 'The answer was cut off.',
    continues: true,
  },
  {
    name: 'broken in the middle of a call: it runs once, when it has come whole',
    flags: ['--mode', 'accept-edits'],
    script: (protocol) => [
      slowly(at(midCall, 'break')(protocol, writing), { betweenMs: 20 }),
      calls(['Write', { file_path: 'made.txt', content: 'made' }]),
      says('fine'),
    ],
    upshot: { requests: 3, retries: ['cut'], ran: ['Write'], told: [made] },
    also: madeOnce,
  },
  {
    name: 'ended politely after a whole call, without a word that this was all: it runs once',
    flags: ['--mode', 'accept-edits'],
    script: [cuts(writing, { after: 'content', how: 'end' }), writing, says('fine')],
    upshot: { requests: 3, retries: ['cut'], ran: ['Write'], told: [made] },
    also: madeOnce,
  },
  {
    name: 'broken in a call before any text: the same is asked again',
    script: (protocol) => [
      cuts(calls(['Read', { file_path: 'a.txt' }]), { after: midCall[protocol] - 3, how: 'end' }),
      says('fine'),
    ],
    upshot: { requests: 2, retries: ['cut'] },
    also: ({ server }) => expect(server.requests[1]?.messages).toEqual(server.requests[0]?.messages),
    except: { google: 'a call comes whole in one frame', ollama: 'a call comes whole in one frame' },
  },
  {
    name: 'a frame of broken JSON',
    script: [garbage('json')],
    // Two protocols have already sent their first piece.
    upshot: (protocol) => ({
      ...garbled,
      result:
        protocol === 'google' || protocol === 'ollama' ? (expect.stringMatching(/^this ?$/) as string) : '',
    }),
    words: 'sent an invalid response',
  },
  {
    name: "a sign-in page in the model's place",
    script: [garbage('html')],
    upshot: { ...garbled, result: '' },
    words: 'sent an invalid response: Sign in',
  },
  {
    name: 'good JSON of no known protocol',
    script: [garbage('stranger')],
    upshot: { ...garbled, result: '' },
    words: `sent an invalid response: {"status":"ok"}`,
  },
  {
    name: 'keep-alives between the frames are no words',
    script: [keepAlive(both('Look.', ['Read', { file_path: 'a.txt' }])), keepAlive(says('fine'))],
    upshot: { requests: 2, ran: ['Read'], told: [{ success: true, text: '1\talpha' }] },
  },
  {
    name: '[L08] the smallest pieces, cut inside characters, lines and frames',
    script: [
      shreds(both('Grüße, 世界 👋🏽!', ['Read', { file_path: 'a.txt' }])),
      shreds(says('Grüße, 世界 👋🏽!')),
    ],
    upshot: {
      requests: 2,
      ran: ['Read'],
      told: [{ success: true, text: '1\talpha' }],
      result: 'Grüße, 世界 👋🏽!',
    },
  },
  {
    name: 'no figures: usage and cost are zero, and nothing else changes',
    script: [says('fine', { usage: null })],
    upshot: {},
    also: ({ report }) =>
      expect({ usage: report.usage, costUsd: report.costUsd }).toEqual({
        usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
        costUsd: 0,
      }),
  },
  {
    name: 'stopped at the output limit: the answer goes on by itself, and is one',
    script: [says('One, ', { stop: 'max_tokens' }), says('two, ', { stop: 'max_tokens' }), says('three.')],
    upshot: { requests: 3, result: 'One, two, three.' },
  },
  {
    name: 'stopped at the output limit again and again: exit code 4',
    script: Array(4).fill(says('Half.', { stop: 'max_tokens' })),
    upshot: { code: 4, stopReason: 'max_tokens', requests: 4, result: 'Half.Half.Half.Half.' },
    words: 'The last answer was cut off at the output limit.',
  },
  {
    name: 'a refusal: exit code 1, the words kept, and the session can go on',
    script: [says('I would rather not.', { stop: 'refusal' }), says('went on')],
    upshot: { code: 1, stopReason: 'refusal', result: 'I would rather not.' },
    words: 'The model declined to answer.',
    continues: true,
    except: { ollama: 'it has no word for a refusal' },
  },
  {
    name: 'an answer without a word: asked for once more',
    script: [says(''), says('fine')],
    upshot: { requests: 2 },
  },
  {
    name: 'an answer without a word, twice: that is said, exit code 1',
    script: [says(''), says('')],
    upshot: { code: 1, stopReason: 'error', requests: 2, result: '' },
    words: 'The model returned nothing.',
  },
  {
    name: 'nothing but thoughts, twice: that is said, exit code 1',
    script: [thinks('hm', says('')), thinks('hm', says(''))],
    upshot: { code: 1, stopReason: 'error', requests: 2, result: '' },
    words: 'The model returned nothing.',
  },
];
