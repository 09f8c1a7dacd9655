import fc from 'fast-check';
import { expect, test } from 'vitest';
import { epochsOf } from '../../../test/support/epochs.ts';
import { answer, histories, pairs, prompt, reply } from '../../../test/support/histories.ts';
import { sweep } from '../../../test/support/soak.ts';
import { runLoop } from '../../agent/loop.ts';
import type { Run } from '../../agent/run.ts';
import { ProviderError } from '../../contract/errors.ts';
import type { AgentEvent } from '../../contract/event.ts';
import type { Message } from '../../contract/message.ts';
import type { CompletionRequest } from '../../contract/provider.ts';
import type { Session } from '../../contract/session.ts';
import { changeView, type ViewChange, wholeView } from '../../contract/view.ts';
import { ConversationView } from './conversation-view.ts';

const SYSTEM = 's'.repeat(2000);

/** Approximates vendors' token counts. `density` is characters per token. */
function counted({ system, summary = '', messages }: CompletionRequest, density: number): number {
  const text = JSON.stringify(messages, (key, value: unknown) => (key === 'data' ? '' : value));
  const images = messages.flatMap(({ content }) => content.filter((part) => part.type === 'image'));
  return Math.ceil((system.length + summary.length + text.length) / density) + images.length * 1500;
}

/** A vendor that rejects requests that do not fit, answer included. */
function strict(window: number, density: number) {
  const requests: CompletionRequest[] = [];
  async function* stream(request: CompletionRequest): ReturnType<Run['ask']> {
    const tokens = counted(request, density);
    const { calls, answers } = pairs(request.messages);
    expect(answers).toEqual(calls);
    expect(request.messages[0]?.role).toBe('user');
    requests.push({ ...request, messages: [...request.messages] });
    if (tokens + (request.maxTokens ?? 0) > window)
      throw new ProviderError(`prompt is too long: ${tokens} > ${window}`, {
        kind: 'overflow',
        provider: 'p',
      });
    const usage = { inputTokens: tokens, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 };
    yield { type: 'text', text: 'Fine.' };
    yield { type: 'usage', usage };
    yield { type: 'stop', reason: 'end' };
  }
  return { stream, requests };
}

type Vendor = ReturnType<typeof strict>;

function open(messages: Message[], window: number, vendor: Vendor) {
  const session: Session = {
    id: 's',
    workingDirectory: '/',
    startedAt: '',
    messages,
    permissions: [],
    settings: { model: 'm' },
  };
  const kept: string[] = [];
  const writer = {
    changeView: async (change: ViewChange) => {
      session.view = changeView(session.view ?? wholeView, change);
    },
  };
  const view = new ConversationView({
    session,
    ready: Promise.resolve(),
    answering: () => ({
      model: 'm',
      contextWindow: window,
      maxOutput: Math.min(4096, Math.floor(window / 4)),
    }),
    threshold: 0.9,
    epochs: epochsOf({ session, writer }, SYSTEM),
    settings: () => ({ model: 'm' }),
    backgroundModel: async () => null,
    todos: () => [],
    writer,
    isWatched: false,
    keepText: async (text) => {
      kept.push(text);
      return `/kept/${kept.length}.txt`;
    },
  });
  async function ask(text: string) {
    session.messages.push(prompt(text));
    const { signal } = new AbortController();
    const run: Run = {
      provider: 'p',
      model: 'm',
      history: session.messages,
      ask: (history) => vendor.stream(view.request(history)),
      async *act() {
        yield* [];
      },
      makeRoom: (cause, asked) => view.makeRoom(cause, asked),
      costOf: () => 0,
      maxTurns: 5,
      signal,
    };
    const events: AgentEvent[] = [];
    for await (const event of runLoop(run)) {
      events.push(event);
      view.watch(event);
    }
    return events;
  }
  return { ask, session, kept };
}

const giantText = fc.record({
  word: fc.constantFrom('word ', 'x', '语', '{"a":1},\n'),
  size: fc.integer({ min: 1000, max: 900_000 }),
});
const giant = giantText.map(({ word, size }) => word.repeat(Math.ceil(size / word.length)));
const image = { type: 'image' as const, mediaType: 'image/png', data: 'iVBORw0KGgo' };
const extra = fc.oneof(
  giant.map((text): Message[] => [prompt(text)]),
  giant.map((text): Message[] => [prompt('hm'), reply(text)]),
  giant.map((text): Message[] => [
    prompt('look'),
    reply('', { id: `g${text.length}`, name: 'Bash', input: { command: 'cat' } }),
    answer(`g${text.length}`, 'Bash', text),
  ]),
  giant.map((text): Message[] => [
    prompt('write'),
    reply('', { id: `w${text.length}`, name: 'Write', input: { file_path: 'a', content: text } }),
    answer(`w${text.length}`, 'Write', 'ok'),
  ]),
  fc
    .integer({ min: 1, max: 40 })
    .map((count): Message[] => [{ ...prompt('see'), content: Array.from({ length: count }, () => image) }]),
);
const unique = (messages: Message[]): Message[] => {
  const ids = new Map<string, number>();
  const renamed = (id: string, isCall: boolean) => {
    if (isCall) ids.set(id, (ids.get(id) ?? 0) + 1);
    return `${id}#${ids.get(id)}`;
  };
  return messages.map((message) => {
    if (message.role === 'tool') return { ...message, callId: renamed(message.callId, false) };
    if (message.role === 'user') return message;
    const content = message.content.map((part) =>
      part.type === 'tool_call' ? { ...part, id: renamed(part.id, true) } : part,
    );
    return { ...message, content };
  });
};
const journals = fc
  .array(fc.oneof(histories, extra), { minLength: 1, maxLength: 6 })
  .map((pieces) => unique(pieces.flat()));
const windows = fc.constantFrom(4096, 8192, 16_384, 32_768, 128_000, 200_000);

sweep([10, 60])(
  'with any journal and any window, the next small prompt is answered (%i runs)',
  async (numRuns) => {
    await fc.assert(
      fc.asyncProperty(
        journals,
        windows,
        fc.double({ min: 2, max: 5, noNaN: true }),
        async (messages, window, density) => {
          const vendor = strict(window, density);
          const { ask } = open([...messages], window, vendor);
          expect((await ask('go on')).at(-1)).toMatchObject({ type: 'end', reason: 'done' });
          expect((await ask('and now?')).at(-1)).toMatchObject({ type: 'end', reason: 'done' });
          // The last prompt is never shortened.
          expect(JSON.stringify(vendor.requests.at(-1)?.messages.at(-1))).toContain('and now?');
        },
      ),
      { numRuns },
    );
  },
);

test('a prompt larger than the window is sent in part, with a notice, and the model can read all of it', async () => {
  const vendor = strict(32_768, 4);
  const { ask, kept } = open([], 32_768, vendor);
  const long = `BEGIN ${'lorem ipsum '.repeat(60_000)} END`;
  const events = await ask(long);
  expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'done' });
  expect(events).toContainEqual({
    type: 'notice',
    level: 'warn',
    text: "The conversation exceeds the model's context window. Long texts are shortened. The model can read your full prompt in /kept/1.txt.",
  });
  expect(kept).toEqual([long]);
  const sent = JSON.stringify(vendor.requests.at(-1)?.messages.at(-1));
  for (const words of ['BEGIN', 'END', 'The full text is in /kept/1.txt']) expect(sent).toContain(words);
  // No second notice, and no request that had to be rejected.
  const again = await ask('so?');
  expect(again.filter(({ type }) => type === 'notice')).toEqual([]);
  expect(vendor.requests).toHaveLength(2);
});
