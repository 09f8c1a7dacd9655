import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AgentEvent } from '../../../contract/event.ts';
import { Feed } from './feed.ts';
import { emptyView, reduceView } from './store.ts';
import type { Item, Line, MarkdownStream, Status, View, ViewEvent } from './types.ts';

const status: Status = {
  model: 'anthropic/model',
  mode: 'default',
  sandboxed: true,
  context: { tokens: 0, window: 1000 },
  costUsd: 0,
  cacheHit: null,
  branch: null,
  shells: 0,
  elapsedMs: null,
};

const begin: ViewEvent = {
  type: 'run_start',
  sessionId: 's',
  provider: 'p',
  model: 'm',
  cwd: '/',
  messages: 0,
};
const done: ViewEvent = { type: 'end', reason: 'done', turns: 1 };
const line = (text: string): Line => [{ text }];

function fold(events: readonly ViewEvent[]): View {
  return events.reduce((view, event, i) => reduceView(view, event, i * 100), emptyView(status));
}

const starts = (id: string, title: string): ViewEvent => ({
  type: 'tool_start',
  call: { id, name: 'Bash', input: {} },
  title,
});
const looks = (id: string): ViewEvent => ({
  type: 'tool_start',
  call: { id, name: 'Read', input: {} },
  title: `Read ${id}`,
  explores: 'file',
});
const ends = (callId: string, success: boolean): ViewEvent => ({
  type: 'tool_end',
  callId,
  name: 'Bash',
  success,
  durationMs: 5,
});

test('a screen that is left keeps the text so far, and names the calls that go on', () => {
  const left = fold([
    begin,
    starts('a', 'Bash sleep 100'),
    { type: 'answer', lines: [line('One')], tail: [line('Tw')], characters: 6, done: false },
    { type: 'left' },
  ]);
  expect([left.run, left.calls, left.message]).toEqual([null, [], null]);
  expect(left.finished).toEqual([
    { type: 'answer', lines: [line('One')], first: true },
    { type: 'answer', lines: [line('Tw')], first: false },
    { type: 'notice', level: 'info', text: 'Still running: Bash sleep 100' },
  ]);
});

test('C12: the rest of an answer and its end are one update', () => {
  const open = fold([
    begin,
    { type: 'answer', lines: [line('One')], tail: [line('Tw')], characters: 6, done: false },
  ]);
  const closed = reduceView(
    open,
    { type: 'answer', lines: [line('Two')], tail: [], characters: 1, done: true },
    200,
  );

  expect(open.message).toEqual({ type: 'answer', tail: [line('Tw')], begun: true });
  expect(closed.message).toBeNull();
  expect(closed.finished).toEqual([
    { type: 'answer', lines: [line('One')], first: true },
    { type: 'answer', lines: [line('Two')], first: false },
  ]);
});

test('finished thoughts are folded', () => {
  const view = fold([
    begin,
    { type: 'thought', text: 'hm', done: false },
    { type: 'thought', text: ', so', done: true },
  ]);

  const thought: Item = { type: 'thought', text: 'hm, so', durationMs: 100, folded: true };
  expect(view.finished).toEqual([thought]);
});

test('a failed call shows its error, a refused one the reason', () => {
  const view = fold([
    begin,
    starts('a', 'npm test'),
    ends('a', false),
    {
      type: 'message',
      message: {
        role: 'tool',
        callId: 'a',
        name: 'Bash',
        success: false,
        content: [{ type: 'text', text: 'no tests' }],
        timestamp: '',
      },
    },
    {
      type: 'judged',
      callId: 'b',
      tool: 'Bash',
      verdict: 'deny',
      by: 'user',
      because: 'not now',
      accesses: [{ kind: 'execute', target: 'rm x' }],
    },
    ends('b', false),
  ]);

  expect(view.finished).toEqual([
    { type: 'call', title: 'npm test', outcome: 'failed', because: 'no tests', durationMs: 5, folded: true },
    { type: 'call', title: 'Bash rm x', outcome: 'refused', because: 'not now', durationMs: 5, folded: true },
  ]);
  expect(view.calls).toEqual([]);
});

test('an interrupted run keeps its text and closes what was in progress', () => {
  const view = fold([
    begin,
    { type: 'answer', lines: [], tail: [line('half a sen')], characters: 10, done: false },
    starts('a', 'sleep 100'),
    { type: 'end', reason: 'interrupted', turns: 1 },
  ]);

  expect(view.finished).toEqual([
    { type: 'answer', lines: [line('half a sen')], first: true },
    {
      type: 'call',
      title: 'sleep 100',
      outcome: 'interrupted',
      summary: { kind: 'interrupted' },
      durationMs: 100,
      folded: true,
    },
    { type: 'notice', level: 'warn', text: 'Interrupted. What should I do instead?' },
  ]);
  expect(view).toMatchObject({ message: null, calls: [], run: null });
  expect(view.status.elapsedMs).toBe(300);
});

test('tokens are estimated while a reply arrives, and then as the vendor counted them', () => {
  const saying = fold([begin, { type: 'answer', lines: [], tail: [], characters: 40, done: false }]);
  const counted = reduceView(
    saying,
    {
      type: 'usage',
      usage: { inputTokens: 30, outputTokens: 12, cacheReadTokens: 60, cacheWriteTokens: 10 },
      costUsd: 0.5,
    },
    0,
  );

  expect(saying.run?.outputTokens).toBe(10);
  expect(counted.run?.outputTokens).toBe(12);
  expect(counted.status).toMatchObject({
    context: { tokens: 112, window: 1000 },
    costUsd: 0.5,
    cacheHit: 0.6,
  });
});

const id = fc.constantFrom('a', 'b', 'c');
const anyEvent: fc.Arbitrary<ViewEvent> = fc.oneof(
  fc.constant(begin),
  fc.constant(done),
  fc.constant<ViewEvent>({ type: 'turn_start', turn: 1 }),
  fc.record({
    type: fc.constant('answer' as const),
    lines: fc.array(fc.string().map(line), { maxLength: 3 }),
    tail: fc.array(fc.string().map(line), { maxLength: 2 }),
    characters: fc.nat(100),
    done: fc.boolean(),
  }),
  fc.record({ type: fc.constant('thought' as const), text: fc.string(), done: fc.boolean() }),
  id.map((one) => starts(one, `call ${one}`)),
  id.map(looks),
  fc.tuple(id, fc.boolean()).map(([one, success]) => ends(one, success)),
  id.map((callId): ViewEvent => ({ type: 'tool_progress', callId, text: 'x\n' })),
  fc.string().map((text): ViewEvent => ({ type: 'printed', text })),
  fc.constant<ViewEvent>({ type: 'queue', prompts: [] }),
  fc.constant<ViewEvent>({ type: 'end', reason: 'interrupted', turns: 1 }),
);

test('C11: in any order of events, finished items only grow at the end, and nothing stays open after an end', () => {
  fc.assert(
    fc.property(fc.array(anyEvent), (events) => {
      let view = emptyView(status);
      for (const event of events) {
        const before = view.finished;
        view = reduceView(view, event, 0);
        expect(view.finished.slice(0, before.length)).toEqual(before);
        if (event.type === 'end')
          expect(view).toMatchObject({ message: null, calls: [], explored: [], run: null });
      }
    }),
  );
});

const message = (callId: string, text: string): ViewEvent => ({
  type: 'message',
  message: {
    role: 'tool',
    callId,
    name: 'Read',
    success: false,
    content: [{ type: 'text', text }],
    timestamp: '',
  },
});
const titlesOf = (items: readonly Item[]): unknown[] =>
  items.map((item) =>
    item.type === 'explored' ? titlesOf(item.steps) : item.type === 'call' ? item.title : item.type,
  );

test.each<[string, ViewEvent[], unknown[]]>([
  ['one call stays itself', [looks('a'), ends('a', true)], ['Read a']],
  ['several become one', [looks('a'), looks('b'), ends('b', true), ends('a', true)], [['Read b', 'Read a']]],
  [
    'thoughts between them belong to them, thoughts after them do not',
    [
      looks('a'),
      ends('a', true),
      { type: 'thought', text: 'hm', done: true },
      looks('b'),
      ends('b', true),
      { type: 'thought', text: 'so', done: true },
    ],
    [['Read a', 'thought', 'Read b'], 'thought'],
  ],
  [
    'text divides them',
    [
      looks('a'),
      ends('a', true),
      { type: 'answer', lines: [line('Then')], tail: [], characters: 4, done: true },
      looks('b'),
      ends('b', true),
    ],
    ['Read a', 'answer', 'Read b'],
  ],
  [
    'another call divides them',
    [looks('a'), ends('a', true), starts('c', 'Bash'), ends('c', true), looks('b'), ends('b', true)],
    ['Read a', 'Bash', 'Read b'],
  ],
  [
    'a failure is shown at once and does not divide them',
    [
      looks('a'),
      ends('a', true),
      looks('x'),
      ends('x', false),
      message('x', 'no'),
      looks('b'),
      ends('b', true),
    ],
    ['Read x', ['Read a', 'Read b']],
  ],
])('read-only calls: %s', (_what, events, expected) => {
  expect(titlesOf(fold([begin, ...events, done]).finished)).toEqual(expected);
});

test('whatever happens, each read-only call is shown once', () => {
  fc.assert(
    fc.property(fc.array(anyEvent), (events) => {
      const distinct = events.map((event, i) =>
        event.type === 'tool_start' ? { ...event, title: `title ${i}` } : event,
      );
      const { finished } = fold([begin, ...distinct, done]);
      const titles = titlesOf(finished)
        .flat()
        .filter((title) => String(title).startsWith('title '));
      expect(new Set(titles).size).toBe(titles.length);
      expect(titles.length).toBe(distinct.filter(({ type }) => type === 'tool_start').length);
    }),
  );
});

const facts = { version: '1.2.3', folder: '~/app', tip: '' };
const begunWith = (events: readonly ViewEvent[]) =>
  events.reduce((view, event) => reduceView(view, event, 0), emptyView(status, facts));

test.each<[string, ViewEvent[], Item[]]>([
  ['wait until all is known', [{ type: 'start', facts: { model: 'p/m' } }], []],
  [
    'are finished then, once',
    [
      { type: 'start', facts: { branch: null } },
      { type: 'start', facts: { model: 'p/m' } },
      { type: 'start', facts: { model: 'p/other' } },
    ],
    [{ type: 'start', facts: { ...facts, branch: null, model: 'p/m' } }],
  ],
  [
    'come before anything else, with an empty row where it has none',
    [
      { type: 'printed', text: 'a' },
      { type: 'printed', text: 'b' },
    ],
    [
      { type: 'start', facts },
      { type: 'printed', text: '' },
      { type: 'printed', text: 'a' },
      { type: 'printed', text: 'b' },
    ],
  ],
  [
    'come before a prompt',
    [{ type: 'prompted', text: 'hi' }],
    [
      { type: 'start', facts },
      { type: 'prompt', text: 'hi' },
    ],
  ],
])('the first rows %s', (_what, events, finished) => {
  expect(begunWith(events).finished).toEqual(finished);
});

/** Lines end at newlines; an open line is the tail. */
function plainMarkdown(): MarkdownStream {
  let open = '';
  return {
    push(text) {
      const lines = (open + text).split('\n');
      open = lines.pop() ?? '';
      return lines.map(line);
    },
    tail: () => (open === '' ? [] : [line(open)]),
    end: () => (open === '' ? [] : [line(open)]),
    resize: () => undefined,
  };
}

test('C11: each finished line of an answer is emitted exactly once, however the text was split', () => {
  const words = fc.array(fc.constantFrom('a', 'bc', '\n', ' d\ne', 'f\n\n'), { maxLength: 40 });
  fc.assert(
    fc.property(words, (pieces) => {
      let view = emptyView(status);
      const feed = new Feed({
        stream: true,
        openMarkdown: plainMarkdown,
        tell: (event) => {
          view = reduceView(view, event, 0);
        },
      });
      const text = pieces.join('');
      const events: AgentEvent[] = [
        ...pieces.map((piece) => ({ type: 'text' as const, text: piece })),
        { type: 'end', reason: 'done', turns: 1 },
      ];
      for (const event of events) feed.push(event);

      const told = view.finished.flatMap((item) => (item.type === 'answer' ? item.lines : []));
      expect(told.map(([span]) => span?.text)).toEqual(
        text.replace(/\n$/, '') === '' && text === '' ? [] : text.replace(/\n$/, '').split('\n'),
      );
      expect(view.message).toBeNull();
    }),
  );
});

test('text that turns out to be thinking moves there while it is still open', () => {
  let view = emptyView(status);
  const feed = new Feed({
    stream: true,
    openMarkdown: plainMarkdown,
    tell: (event) => {
      view = reduceView(view, event, 0);
    },
  });
  const events: AgentEvent[] = [
    { type: 'text', text: 'I should look' },
    { type: 'reclassify', as: 'thinking' },
    { type: 'text', text: 'Done.' },
    { type: 'end', reason: 'done', turns: 1 },
  ];
  for (const event of events) feed.push(event);

  expect(view.finished).toEqual([
    { type: 'thought', text: 'I should look', durationMs: 0, folded: true },
    { type: 'answer', lines: [line('Done.')], first: true },
  ]);
});
