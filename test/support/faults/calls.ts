import { expect } from 'vitest';
import { builtinTools } from '../../../src/tools/index.ts';
import { seal, signCall } from '../model-server/pieces.ts';
import { but, calls, says, thinks, thinksSecretly } from '../model-server/script.ts';
import type { Fault, PerProtocol, Played } from './fault.ts';

const a = { file_path: 'a.txt' };
const b = { file_path: 'b.txt' };
const alpha = { success: true, text: '1\talpha' };
const beta = { success: true, text: '1\tbeta' };
const both = { requests: 2, ran: ['Read', 'Read'], told: [alpha, beta] };

/** The history as sent back to the server: each result next to its call. */
function answersByCall({ server }: Played): unknown[] {
  const messages = server.requests.at(-1)?.messages ?? [];
  const results = messages.flatMap((message) => message.results);
  const asked = messages.flatMap((message) => message.calls);
  expect(new Set(asked.map(({ id }) => id)).size).toBe(asked.length);
  return asked.map(({ id, input }) => [
    input,
    ...results.filter(({ callId }) => callId === id).map(({ text }) => text),
  ]);
}

const tied: Fault['also'] = (played) =>
  expect(answersByCall(played)).toEqual([
    [a, '1\talpha'],
    [b, '1\tbeta'],
  ]);

const untouched: Fault['also'] = async ({ space }) =>
  expect(await space.tree()).toEqual({ 'a.txt': 'alpha', 'b.txt': 'beta' });

/** PresentPlan is offered from plan mode on, WebSearch if it is set up. */
const offered = builtinTools({ recall: null, code: null })
  .filter(({ isHidden }) => !isHidden)
  .flatMap(({ name }) => (name === 'PresentPlan' || name === 'WebSearch' ? [] : [name]));

const mistakes = [
  `Unknown tool Reed. Did you mean Read? Available tools: ${offered.join(', ')}.`,
  'Glob did not run; its arguments are invalid:\n- pattern: Invalid input: expected string, received undefined\nCorrect them and call it again.',
  'The arguments of Write were not a JSON object, so it did not run (the JSON is incomplete). You sent: {"file_path":"c.txt",\nSend the call again with complete, valid JSON.',
  'Read did not run; its arguments are invalid:\n- file_path: Invalid input: expected string, received number\nCorrect them and call it again.',
].map((text) => ({ success: false, text }));

const thought = 'The file will tell.';
/** What must be sent back next to the thought's call. */
const proofs: PerProtocol<string[] | undefined> = {
  // The server verifies it: it is bound to what came before.
  anthropic: [expect.any(String)],
  'openai-responses': [seal(thought)],
  google: [signCall('Read', a)],
  'openai-chat': undefined,
  ollama: undefined,
};
const thinkers = { 'openai-responses': 'openai/gpt-5', google: 'google/gemini-3-pro' };

/**
 * Odd or invalid calls from the model. In every case the error is reported to the model and the run
 * continues.
 */
export const oddCalls: Fault[] = [
  {
    name: '[L08] two calls whose pieces come in turn',
    script: [but(calls(['Read', a], ['Read', b]), { interleave: true }), says('fine')],
    upshot: both,
    also: tied,
    except: {
      anthropic: 'one block ends before the next begins',
      google: 'a call comes whole in one frame',
      ollama: 'a call comes whole in one frame',
    },
  },
  {
    name: 'arguments as an object where the protocol wants text',
    script: [calls(['Read', a, { objectArguments: true }]), says('fine')],
    upshot: { requests: 2, ran: ['Read'], told: [alpha] },
    except: { google: 'arguments are objects anyway', ollama: 'arguments are objects anyway' },
  },
  {
    name: 'numbers with gaps',
    script: [calls(['Read', a, { index: 3 }], ['Read', b, { index: 7 }]), says('fine')],
    upshot: both,
    also: tied,
    except: {
      anthropic: 'blocks are numbered by their place in the message',
      google: 'calls have no numbers',
    },
  },
  {
    name: '[L12] one id for several calls: other calls run, the same call sent again is answered only, and each gets its own answer',
    script: [
      calls(['Read', a, { id: 'call_same' }], ['Read', b, { id: 'call_same' }]),
      calls(['Read', { ...b, limit: 1 }, { id: 'call_same' }]),
      calls(['Read', a, { id: 'call_same' }]),
      says('fine'),
    ],
    upshot: { requests: 4, ran: ['Read', 'Read', 'Read'], told: [alpha, beta, beta, alpha] },
    also: (played) =>
      expect(answersByCall(played)).toEqual([
        [a, '1\talpha'],
        [b, '1\tbeta'],
        [{ ...b, limit: 1 }, '1\tbeta'],
        [a, '1\talpha'],
      ]),
  },
  {
    name: '[L12] no ids: each call gets one',
    script: [calls(['Read', a, { id: null }], ['Read', b, { id: null }]), says('fine')],
    upshot: both,
    also: tied,
  },
  {
    name: 'calls that cannot run: the model is told what is wrong with each, and nothing ran',
    flags: ['--mode', 'accept-edits'],
    script: [
      calls(
        ['Reed', a],
        ['Glob', {}, { noArguments: true }],
        ['Write', {}, { rawArguments: '{"file_path":"c.txt",' }],
        ['Read', { file_path: 7 }],
      ),
      says('fine'),
    ],
    upshot: { requests: 2, told: mistakes },
    also: untouched,
  },
  {
    name: 'arguments cut off by the output limit: that is said, and nothing ran',
    flags: ['--mode', 'accept-edits'],
    script: [
      but(calls(['Write', {}, { rawArguments: '{"file_path":"c.txt","content":"ha' }]), {
        stop: 'max_tokens',
      }),
      says('fine'),
    ],
    upshot: {
      requests: 2,
      told: [
        {
          success: false,
          text: "The output limit was reached while this call of Write was being written, so it did not run. Its JSON is not at fault: the call is too long for one answer. Do it in smaller parts, one call at a time: write a long file's first part, then add the rest with further edits, each well below the length that was cut.",
        },
      ],
    },
    words: 'The answer hit the output limit in the middle of a tool call',
    also: untouched,
  },
  {
    name: 'a whole call in an answer that the output limit cut off: it may be half of what was meant, and does not run',
    flags: ['--mode', 'accept-edits'],
    script: [
      but(calls(['Write', { file_path: 'c.txt', content: 'ha' }]), { stop: 'max_tokens' }),
      says('fine'),
    ],
    upshot: {
      requests: 2,
      told: [{ success: false, text: expect.stringContaining('The output limit was reached') as never }],
    },
    words: 'The answer hit the output limit in the middle of a tool call',
    also: untouched,
  },
  {
    name: 'a thought before a call: its proof goes back where the protocol has one',
    models: thinkers,
    script: [thinks(thought, calls(['Read', a])), says('fine')],
    upshot: { requests: 2, ran: ['Read'], told: [alpha] },
    also: ({ server, events }, protocol) => {
      expect(server.requests[1]?.messages[1]?.signatures).toEqual(proofs[protocol]);
      const heard = events.flatMap((event) => (event.type === 'thinking' ? [event.text] : []));
      expect(heard.join('')).toBe(thought);
    },
  },
  {
    name: 'a thought the vendor keeps to itself goes back as it came',
    models: thinkers,
    script: [thinksSecretly(thought, calls(['Read', a])), says('fine')],
    upshot: { requests: 2, ran: ['Read'], told: [alpha] },
    also: ({ server, events }, protocol) => {
      const proof = protocol === 'anthropic' ? expect.any(String) : seal(thought);
      expect(server.requests[1]?.messages[1]?.signatures).toEqual([proof]);
      expect(events.filter((event) => event.type === 'thinking')).toEqual([]);
    },
    except: {
      'openai-chat': 'it has no sealed thoughts',
      google: 'a signature is bound to its call',
      ollama: 'it has no sealed thoughts',
    },
  },
];
