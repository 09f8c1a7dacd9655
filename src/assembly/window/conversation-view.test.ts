import { describe, expect, test } from 'vitest';
import { epochsOf } from '../../../test/support/epochs.ts';
import { prompt, reply } from '../../../test/support/histories.ts';
import type { AgentEvent } from '../../contract/event.ts';
import type { Message } from '../../contract/message.ts';
import { noUsage, textOf } from '../../contract/message.ts';
import type { Session } from '../../contract/session.ts';
import { changeView, type ViewChange, wholeView } from '../../contract/view.ts';
import type { BackgroundModel } from '../models/background-model.ts';
import { createContextWindow } from './context-window.ts';
import { ConversationView } from './conversation-view.ts';

const SYSTEM = 's'.repeat(350);

/** Messages of about a hundred tokens each. */
const talk = (from: number, to: number): Message[] =>
  Array.from({ length: to - from + 1 }, (_, i) =>
    (from + i) % 2 === 0
      ? prompt(`ask ${from + i} ${'w'.repeat(340)}`)
      : reply(`say ${from + i} ${'w'.repeat(340)}`),
  );

/** A window of 10,000 tokens with 1,000 for an answer: compacted above 8,100, prepared from 6,750 on. */
function setUp(answer: (prompt: string, signal: AbortSignal) => Promise<string>, messages: Message[] = []) {
  const changes: ViewChange[] = [];
  const prompts: string[] = [];
  const session: Session = {
    id: 's',
    workingDirectory: '/',
    startedAt: '',
    messages,
    permissions: [],
    settings: { model: 'm' },
  };
  const backgroundModel: BackgroundModel = {
    // Only its text is used here.
    provider: undefined as never,
    model: 'h',
    contextWindow: 100_000,
    async complete(text, { signal }) {
      prompts.push(text);
      return { text: await answer(text, signal), usage: noUsage, by: 'p/h' };
    },
  };
  const writer = {
    changeView: async (change: ViewChange) => {
      // The epochs follow from the compactions.
      if (change.type !== 'epoch') changes.push(change);
      session.view = changeView(session.view ?? wholeView, change);
    },
  };
  const epochs = epochsOf({ session, writer }, SYSTEM);
  const settings: { model: string; maxTokens?: number } = { model: 'm' };
  const deps = {
    session,
    epochs,
    settings: () => settings,
    ready: Promise.resolve(),
    answering: () => ({ model: 'm', contextWindow: 10_000, maxOutput: 1000, mostOutput: 3000 }),
    threshold: 0.9,
    backgroundModel: async () => backgroundModel,
    todos: () => [],
    writer,
    isWatched: true,
  };
  const view = new ConversationView(deps);
  return {
    view,
    session,
    changes,
    prompts,
    settings,
    epochs,
    window: createContextWindow(view, deps, async () => []),
  };
}

async function makeRoom(
  view: ConversationView,
  cause: 'routine' | 'overflow' = 'routine',
  signal = new AbortController().signal,
) {
  const events: AgentEvent[] = [];
  const room = view.makeRoom(cause, signal);
  for (;;) {
    const { done, value } = await room.next();
    if (done) return { events, smaller: value };
    events.push(value);
  }
}

describe('[U13] a summary in the background', () => {
  test('starts at three quarters, once, and is used when the window is full', async () => {
    const { view, session, prompts, changes } = setUp(async () => '[Completed: early]', talk(0, 69));
    expect(await makeRoom(view)).toEqual({ events: [], smaller: false });
    session.messages.push(...talk(70, 71));
    await makeRoom(view);
    expect(prompts.length).toBe(1);
    session.messages.push(...talk(72, 81));
    const { events } = await makeRoom(view);
    expect(events).toMatchObject([{ type: 'compacted', by: 'p/h' }]);
    expect(prompts.length).toBe(1);
    expect(changes).toMatchObject([{ summary: '[Completed: early]', at: 82 }]);
  });

  test('is awaited, not written twice, if still in progress', async () => {
    let finish: (text: string) => void = () => undefined;
    const { view, session, prompts, changes } = setUp(
      () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
      talk(0, 69),
    );
    await makeRoom(view);
    session.messages.push(...talk(70, 81));
    const room = makeRoom(view);
    await new Promise((resolve) => setTimeout(resolve, 20));
    finish('[Completed: late]');
    await room;
    expect(prompts.length).toBe(1);
    expect(changes).toMatchObject([{ summary: '[Completed: late]' }]);
  });

  test('is dropped if the conversation was rewound meanwhile', async () => {
    const { view, session, prompts, changes } = setUp(
      async (text) => `[Completed: ${text.includes('other 0') ? 'new' : 'old'}]`,
      talk(0, 69),
    );
    await makeRoom(view);
    session.messages.splice(
      2,
      Infinity,
      ...Array.from({ length: 90 }, (_, i) => prompt(`other ${i} ${'w'.repeat(340)}`)),
    );
    await makeRoom(view);
    expect(prompts.length).toBe(2);
    expect(changes).toMatchObject([{ summary: '[Completed: new]' }]);
  });

  test('is written again on demand if it failed', async () => {
    let times = 0;
    const { view, session, changes } = setUp(
      async () => {
        if (++times === 1) throw new Error('down');
        return '[Completed: second try]';
      },
      talk(0, 69),
    );
    await makeRoom(view);
    session.messages.push(...talk(70, 81));
    await makeRoom(view);
    expect(changes).toMatchObject([{ summary: '[Completed: second try]' }]);
  });

  test('ends with the conversation', async () => {
    let left = false;
    const { view } = setUp(
      (_text, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            left = true;
            reject(signal.reason);
          });
        }),
      talk(0, 69),
    );
    await makeRoom(view);
    await new Promise((resolve) => setTimeout(resolve, 5));
    view.close();
    expect(left).toBe(true);
  });
});

describe('[E04] compaction', () => {
  test('an interrupted summary changes nothing', async () => {
    const abort = new AbortController();
    const { view, changes } = setUp(
      async () => {
        abort.abort();
        throw abort.signal.reason;
      },
      talk(0, 89),
    );
    expect(await makeRoom(view, 'routine', abort.signal)).toEqual({ events: [], smaller: false });
    expect(changes).toEqual([]);
  });

  test('after a rejection the window counts as smaller than documented', async () => {
    const { view } = setUp(async () => '[Completed: x]', talk(0, 29));
    const before = view.limits().compactAt;
    const { smaller } = await makeRoom(view, 'overflow');
    expect(smaller).toBe(true);
    expect(view.limits().compactAt).toBeLessThan(before / 2);
  });

  test('with nothing to compact, texts are shortened, until there is nothing left to shorten', async () => {
    const { view, session, changes, epochs } = setUp(async () => 'never asked', talk(0, 3));
    await epochs.ensure();
    const sizes = [JSON.stringify(view.request(session.messages).messages).length];
    let tries = 0;
    while ((await makeRoom(view, 'overflow')).smaller) {
      sizes.push(JSON.stringify(view.request(session.messages).messages).length);
      if (++tries > 20) throw new Error('It never ends.');
    }
    expect(tries).toBeGreaterThan(0);
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    expect(changes.length).toBe(tries);
    expect(changes.at(-1)).toMatchObject({ type: 'compaction', textLimit: 120 });
  });

  test("a truncated answer is requested again with the model's full output limit", async () => {
    const { view, session, settings, epochs } = setUp(async () => '', talk(0, 3));
    await epochs.ensure();
    expect(view.request(session.messages).maxTokens).toBeUndefined();
    session.messages.push({ ...reply('half'), stopReason: 'max_tokens' });
    expect(view.request(session.messages).maxTokens).toBe(3000);
    settings.maxTokens = 700;
    expect(view.request(session.messages).maxTokens).toBe(700);
  });

  test('near the end of the window the output limit is reduced to fit', async () => {
    const { view, session, settings, epochs } = setUp(async () => '', talk(0, 87));
    await epochs.ensure();
    settings.maxTokens = 5000;
    const { maxTokens = 0 } = view.request(session.messages);
    const { tokens } = await view.measure();
    expect(maxTokens).toBeGreaterThanOrEqual(512);
    expect(maxTokens).toBeLessThanOrEqual(10_000 - tokens + 1);
  });

  test('repeated messages are the identical objects, so that caches keyed by object work', async () => {
    const { view, session } = setUp(async () => '[Completed: x]', talk(0, 89));
    await makeRoom(view);
    const first = view.request(session.messages);
    session.messages.push(prompt('more'));
    const second = view.request(session.messages);
    expect(second.summary).toBe(first.summary);
    expect(second.messages.slice(0, -1).every((message, i) => message === first.messages[i])).toBe(true);
  });
});

test("the vendor's counts correct the estimate, and are recorded if they matter", async () => {
  const { view, session, changes, epochs } = setUp(async () => '', talk(0, 9));
  await epochs.ensure();
  view.request(session.messages);
  const { tokens } = await view.measure();
  const usage = { ...noUsage, inputTokens: Math.round(tokens * 1.5) };
  for (let i = 0; i < 8; i++) view.watch({ type: 'usage', usage, costUsd: null });
  expect(changes.length).toBeLessThan(8);
  expect(session.view?.factors.m).toBeGreaterThan(1.4);
  expect(session.view?.factors.m).toBeLessThanOrEqual(1.5);
  expect((await view.measure()).tokens).toBeCloseTo(tokens * (session.view?.factors.m ?? 0), -1);
});

describe('pins', () => {
  test('are sent with the next prompt until the conversation contains them', async () => {
    const { window, session } = setUp(async () => '');
    await window.pin('port 8080');
    const told = '[The user pinned this fact, keep it in mind: port 8080]';
    expect(window.updates()).toBe(told);
    expect(window.updates()).toBe(told);
    session.messages.push(prompt(`${told}\nhello`));
    expect(window.updates()).toBeNull();
    await window.unpin('port 8080');
    expect(window.updates()).toBe('[No longer pinned: port 8080]');
    expect(window.updates()).toBeNull();
  });

  test('move into the summary with a compaction, and back with /uncompact', async () => {
    const { window, view, session } = setUp(async () => '[Completed: x]', talk(0, 39));
    await window.pin('port 8080');
    expect(await window.compact('', new AbortController().signal)).toMatchObject({ by: 'p/h' });
    expect(view.request(session.messages).summary).toBe(
      '[Completed: x]\n\nFacts pinned by the user:\n- port 8080',
    );
    expect(window.updates()).toBeNull();
    const { before = 0, after = 0 } = (await window.uncompact()) ?? {};
    expect(after).toBeGreaterThan(before);
    expect(view.request(session.messages).messages).toEqual(session.messages);
    expect(window.updates()).toContain('port 8080');
    expect(await window.uncompact()).toBeNull();
  });

  test('have a size limit, which is reported', async () => {
    const { window } = setUp(async () => '');
    expect(await window.pin('x'.repeat(7000))).toBeNull();
    expect(await window.pin('x'.repeat(2000))).toContain('Unpin something first.');
    expect(window.pins().length).toBe(1);
  });
});

test('the parts of the window add up to roughly the size of a request', async () => {
  const { window, session } = setUp(async () => '', talk(0, 29));
  const { total, parts, biggest } = await window.use();
  const sum = parts.reduce((all, { tokens }) => all + tokens, 0);
  expect(Math.abs(sum - total)).toBeLessThan(total * 0.05);
  expect(biggest[0]?.name.startsWith('prompt: ask')).toBe(true);
  expect(textOf(session.messages[0] ?? prompt('')).length).toBeGreaterThan(300);
});
