import { expect } from 'vitest';
import { calls, drops, fails, garbage, says } from '../model-server/script.ts';
import { type Fault, KEY, type PerProtocol } from './fault.ts';

const overflow: PerProtocol<string> = {
  anthropic: 'prompt is too long: 214802 tokens > 200000 maximum',
  'openai-chat':
    "This model's maximum context length is 128000 tokens. However, you requested 130000 tokens.",
  'openai-responses': 'Your input exceeds the context window of this model. Please adjust your input.',
  google: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  ollama: 'the input length exceeds the context length',
};

const reads = Array.from({ length: 6 }, (_, i) => calls(['Read', { file_path: 'big.txt', offset: i }]));
const big = Array.from({ length: 100 }, (_, i) => `line ${i} of a file that fills the window`).join('\n');

const vendors: PerProtocol<string> = {
  anthropic: 'anthropic',
  'openai-chat': 'openai-chat',
  'openai-responses': 'openai',
  google: 'google',
  ollama: 'ollama',
};

const offline = (vendor: string) =>
  `Could not reach ${vendor}. Check your connection and proxy with \`aca doctor\`.`;

/** The message to the user when no server answers. */
export const unreachable: PerProtocol<string> = {
  anthropic: offline('Anthropic'),
  'openai-chat': offline('OpenAI'),
  'openai-responses': offline('OpenAI'),
  google: offline('Google Gemini'),
  ollama: 'Start Ollama, or check its address with `aca doctor`.',
};

/** The server answers with an error, or not at all, before the model's first token. */
export const refusals: Fault[] = [
  {
    name: '[V06] [Y21] 429 with Retry-After: waited for as told, then answered',
    script: [fails(429, { retryAfter: 1.5, message: 'Slow down, please' }), says('fine')],
    upshot: { requests: 2, retries: ['rate_limit'] },
    words: 'Slow down, please',
    also: ({ events }) => {
      const retry = { type: 'retry', kind: 'rate_limit', message: 'Slow down, please', attempt: 1 };
      expect(events.filter((event) => event.type === 'retry')).toEqual([{ ...retry, delayMs: 1500 }]);
    },
  },
  {
    name: '[V06] overloaded: tried again, then answered',
    script: (protocol) => [fails(protocol === 'anthropic' ? 529 : 503), says('fine')],
    upshot: { requests: 2, retries: ['overloaded'] },
  },
  {
    name: '[V06] the connection dropped before any byte: tried again, then answered',
    script: [drops(), says('fine')],
    upshot: { requests: 2, retries: ['timeout'] },
  },
  {
    name: 'a stream with nothing in it: tried again, then answered',
    script: [garbage('empty'), says('fine')],
    upshot: { requests: 2, retries: ['timeout'] },
  },
  {
    name: '[N11] 400: not tried again, the reason told',
    script: [fails(400, { message: 'That makes no sense' })],
    upshot: { code: 1, stopReason: 'error', kind: 'bad_request', result: '' },
    words: 'That makes no sense',
  },
  {
    name: '[N11] 401: clear words, and nothing of the key, even where the vendor repeats it',
    script: [fails(401, { message: `Incorrect API key provided: ${KEY}.` })],
    upshot: { code: 1, stopReason: 'error', kind: 'auth', result: '' },
    words: 'Incorrect API key provided: [redacted].',
    also: ({ outcome }, protocol) =>
      expect(outcome.stderr).toMatch(
        new RegExp(`^Your .+ key was rejected\\. Run \`aca keys set ${vendors[protocol]}\``, 'm'),
      ),
    except: { ollama: 'it asks for no key' },
  },
  {
    name: '[N11] 403: the vendor, the model and how to use another key',
    script: [fails(403, { message: 'Not for you' })],
    upshot: { code: 1, stopReason: 'error', kind: 'auth', result: '' },
    words: 'Not for you',
    also: ({ outcome }, protocol) =>
      expect(outcome.stderr).toMatch(
        new RegExp(`^.+ denied access to .+ \`aca keys set ${vendors[protocol]}\``, 'm'),
      ),
    except: { ollama: 'it asks for no key' },
  },
  {
    name: '[N11] 404: the model is named as the vendor names it',
    script: [fails(404, { message: 'model "nonesuch" not found' })],
    upshot: { code: 1, stopReason: 'error', kind: 'model_not_found', result: '' },
    words: 'model "nonesuch" not found',
    also: ({ outcome, server }, protocol) => {
      const asked = server.requests[0]?.model ?? 'no model';
      const reason =
        protocol === 'ollama' ? `has no model ${asked}\\.` : `(does not offer|retired) ${asked}\\b`;
      expect(outcome.stderr).toMatch(new RegExp(reason));
      expect(outcome.stderr).toMatch(/run `aca models list`/i);
    },
  },
  {
    name: '[E04] [Y24] too long for the window: older output is shortened, and the turn goes on in place',
    files: { 'big.txt': big },
    script: (protocol) => [...reads, fails(400, { message: overflow[protocol] }), says('fine')],
    upshot: { requests: 8, ran: Array(6).fill('Read'), told: Array(6).fill(expect.anything()) },
    also: ({ server }) => {
      const [refused, taken] = server.requests.slice(-2).map(({ messages }) => messages);
      expect(taken?.map(({ role, calls }) => ({ role, calls }))).toEqual(
        refused?.map(({ role, calls }) => ({ role, calls })),
      );
      expect(JSON.stringify(taken).length).toBeLessThan(JSON.stringify(refused).length - 1000);
    },
  },
  {
    name: '[E04] too long with nothing to shorten: said with a way on, and not sent again',
    script: (protocol) => [fails(400, { message: overflow[protocol] })],
    upshot: { code: 1, stopReason: 'error', kind: 'overflow', result: '', requests: 1 },
    words: 'choose a model with a larger context window',
  },
];
