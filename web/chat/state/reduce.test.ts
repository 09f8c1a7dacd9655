import type { SessionUpdate } from '@agentclientprotocol/sdk';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ChatEvent } from '../connection.ts';
import { reduce } from './reduce.ts';
import { type CallItem, emptyView, type Item, type MessageItem, type View } from './view.ts';

const session = { id: 's1', cwd: '/work/app', title: 'Fix the login' };
const opened: ChatEvent = { type: 'session', session };
const started: ChatEvent = { type: 'turn_started' };

function play(...events: ChatEvent[]): View {
  return reduce(emptyView, events, 1_000);
}

function update(value: SessionUpdate, more: { seq?: number; by?: string; at?: number } = {}): ChatEvent {
  return { type: 'update', update: value, ...more };
}

function said(
  text: string,
  messageId = 'm1',
  kind: 'agent_message_chunk' | 'agent_thought_chunk' = 'agent_message_chunk',
) {
  return update({ sessionUpdate: kind, content: { type: 'text', text }, messageId });
}

function call(toolCallId: string, more: Partial<SessionUpdate> = {}): ChatEvent {
  return update({
    sessionUpdate: 'tool_call',
    toolCallId,
    title: 'Run tests',
    kind: 'execute',
    ...more,
  } as SessionUpdate);
}

const asked: ChatEvent = {
  type: 'permission_asked',
  request: {
    requestId: 'r1',
    toolCall: { toolCallId: 'c1', title: 'Run tests' },
    options: [
      { optionId: 'once', kind: 'allow_once', name: 'Yes' },
      { optionId: 'no', kind: 'reject_once', name: 'No' },
    ],
  },
};

describe('messages', () => {
  test('parts of a message become one item, and thoughts another', () => {
    const { items } = play(said('Let me ', 'm1', 'agent_thought_chunk'), said('look.'), said(' Done.'));
    expect(items.map((item) => [item.type, 'text' in item && item.text])).toEqual([
      ['thought', 'Let me '],
      ['message', 'look. Done.'],
    ]);
  });

  test('a prompt keeps its images and who wrote it', () => {
    const image = { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' };
    const chunk = (content: typeof image | { type: 'text'; text: string }) =>
      update({ sessionUpdate: 'user_message_chunk', content, messageId: 'u1' }, { by: 'Ana' });
    expect(
      play(chunk({ type: 'text', text: 'See ' }), chunk(image), chunk({ type: 'text', text: 'this' })).items,
    ).toEqual([{ type: 'user', key: 1, messageId: 'u1', text: 'See this', attachments: [image], by: 'Ana' }]);
  });

  test('however the text is split and the parts of several messages interleave, each keeps its text', () => {
    const texts = fc.array(
      fc.tuple(fc.constantFrom('agent_message_chunk', 'agent_thought_chunk'), fc.string({ maxLength: 40 })),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(texts, fc.array(fc.nat(), { maxLength: 60 }), (messages, choices) => {
        const rest = messages.map(([kind, text], index) => ({ kind, text, id: `m${index}` }));
        const events: ChatEvent[] = [];
        for (const choice of choices) {
          const from = rest[choice % Math.max(1, rest.length)];
          if (!from) break;
          const size = choice % 7;
          events.push(said(from.text.slice(0, size), from.id, from.kind));
          from.text = from.text.slice(size);
        }
        for (const { kind, text, id } of rest) events.push(said(text, id, kind));
        const { items } = play(...events);
        const joined = messages.map((_, index) =>
          items.map((item) => (isMessage(item) && item.messageId === `m${index}` ? item.text : '')).join(''),
        );
        expect(joined).toEqual(messages.map(([, text]) => text));
      }),
    );
  });
});

function isMessage(item: Item): item is MessageItem {
  return item.type === 'message' || item.type === 'thought';
}

describe('calls', () => {
  test('an update changes only what it names', () => {
    const { items } = play(
      call('c1', { locations: [{ path: '/a.ts' }] } as Partial<SessionUpdate>),
      update({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'in_progress' }, { at: 2_000 }),
      update({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed' }, { at: 5_000 }),
    );
    expect(items).toEqual([
      expect.objectContaining({
        title: 'Run tests',
        status: 'completed',
        locations: [{ path: '/a.ts' }],
        startedAt: 2_000,
        endedAt: 5_000,
      }),
    ]);
  });

  test('output of a command comes in parts', () => {
    const part = (data: string) =>
      update({
        sessionUpdate: 'tool_call_update',
        toolCallId: 'c1',
        content: [{ type: 'terminal', terminalId: 'c1' }],
        _meta: { terminal_output: { terminal_id: 'c1', data } },
      });
    const { items } = play(call('c1'), part('one\n'), part('two\n'));
    expect(items).toEqual([expect.objectContaining({ printed: 'one\ntwo\n' })]);
  });

  test('an update of an unknown call makes one', () => {
    const { items } = play(
      update({ sessionUpdate: 'tool_call_update', toolCallId: 'x', title: 'Read a.ts' }),
    );
    expect(items).toEqual([expect.objectContaining({ type: 'call', callId: 'x', title: 'Read a.ts' })]);
  });

  test('calls of a subagent are inside the call that started it', () => {
    const nested = { _meta: { aca: { parent: 'c1' } } } as Partial<SessionUpdate>;
    const { items } = play(
      call('c1'),
      call('c2', nested),
      update({ sessionUpdate: 'tool_call_update', toolCallId: 'c2', status: 'completed' }),
    );
    const outer = items[0] as CallItem;
    expect([items.length, outer.children.map(({ callId, status }) => [callId, status])]).toEqual([
      1,
      [['c2', 'completed']],
    ]);
  });

  test('a turn that ends leaves no call that looks as if it ran, and no open question', () => {
    const view = play(opened, started, call('c1'), asked, { type: 'turn_ended', stopReason: 'cancelled' });
    expect([
      view.turn,
      view.asks,
      view.items.map((item) => ('status' in item ? item.status : item.type)),
    ]).toEqual([null, [], ['failed', 'stopped']]);
  });

  test('nor does a call of a subagent', () => {
    const nested = { _meta: { aca: { parent: 'c1' } } } as Partial<SessionUpdate>;
    const end: ChatEvent = { type: 'turn_ended', stopReason: 'cancelled' };
    const outer = play(started, call('c1'), call('c2', nested), end).items[0] as CallItem;
    expect(outer.children.map(({ status }) => status)).toEqual(['failed']);
  });
});

describe('questions', () => {
  test('the call remembers which option was chosen, and by whom', () => {
    const view = play(call('c1'), asked, {
      type: 'permission_settled',
      requestId: 'r1',
      optionId: 'once',
      by: 'Ana',
    });
    expect([view.asks, (view.items[0] as CallItem).decision]).toEqual([
      [],
      { option: { optionId: 'once', kind: 'allow_once', name: 'Yes' }, by: 'Ana' },
    ]);
  });

  test('one that is asked again is shown once, and one that is unknown is settled without harm', () => {
    const view = play(asked, asked, { type: 'permission_settled', requestId: 'other', optionId: 'once' });
    expect(view.asks.map(({ requestId }) => requestId)).toEqual(['r1']);
  });

  test('who was not asked sees the question with its answer', () => {
    const view = play({
      type: 'question_settled',
      requestId: 'q1',
      question: 'Which database?',
      answer: 'SQLite',
      by: 'Ana',
    });
    expect(view.items).toEqual([
      { type: 'answer', key: 1, question: 'Which database?', answer: 'SQLite', by: 'Ana' },
    ]);
  });

  test('the prompts that wait are those that were told last', () => {
    const waiting = (...texts: string[]): ChatEvent => ({
      type: 'prompts_waiting',
      prompts: texts.map((text) => ({ text, by: 'Ana' })),
    });
    expect(play(waiting('one'), waiting('one', 'two')).waiting).toEqual([
      { text: 'one', by: 'Ana' },
      { text: 'two', by: 'Ana' },
    ]);
    expect(play(waiting('one'), waiting()).waiting).toEqual([]);
  });

  test('an answered question stays in the transcript', () => {
    const request = { requestId: 'q1', question: 'Which database?', choices: ['SQLite', 'Postgres'] };
    const view = play(
      { type: 'question_asked', request },
      { type: 'question_settled', requestId: 'q1', answer: 'SQLite', by: 'Ana' },
    );
    expect([view.asks, view.items]).toEqual([
      [],
      [{ type: 'answer', key: 1, question: 'Which database?', answer: 'SQLite', by: 'Ana' }],
    ]);
  });
});

describe('the session', () => {
  test('another session starts empty and keeps the connection', () => {
    const view = play({ type: 'connection', state: 'online' }, opened, said('Hello'), {
      type: 'session',
      session: { ...session, id: 's2' },
    });
    expect([view.connection.state, view.items, view.session?.id, view.seq]).toEqual(['online', [], 's2', 0]);
  });

  test('facts about it are kept up to date', () => {
    const view = play(
      { type: 'session', session: { ...session, modes: { currentModeId: 'default', availableModes: [] } } },
      update({ sessionUpdate: 'session_info_update', title: 'Login fixed' }),
      update({ sessionUpdate: 'current_mode_update', currentModeId: 'plan' }),
      update({ sessionUpdate: 'usage_update', used: 10, size: 100, cost: { amount: 0.5, currency: 'USD' } }),
      update({ sessionUpdate: 'usage_update', used: 20, size: 100 }),
    );
    expect([view.session?.title, view.modes?.currentModeId, view.usage]).toEqual([
      'Login fixed',
      'plan',
      { used: 20, size: 100, cost: { amount: 0.5, currency: 'USD' } },
    ]);
  });

  test('who left is not writing any more', () => {
    const people = [{ id: 'p1', name: 'Ana', role: 'editor' as const }];
    const typing = (participant: string): ChatEvent => ({ type: 'typing', participant, isTyping: true });
    const view = play({ type: 'participants', participants: people }, typing('p1'), typing('p1'));
    expect(view.typing).toEqual(['p1']);
    expect(reduce(view, [{ type: 'participants', participants: [] }], 0).typing).toEqual([]);
  });

  test('an update of a later version of the protocol is ignored', () => {
    const unknown = update({ sessionUpdate: 'hologram', data: 1 } as unknown as SessionUpdate);
    expect(play(opened, unknown)).toEqual(play(opened));
  });
});

/** Any history of numbered events. */
const history = fc
  .array(
    fc.oneof(
      fc.tuple(fc.constantFrom('m1', 'm2'), fc.string({ maxLength: 8 })).map(([id, text]) => said(text, id)),
      fc.constantFrom('c1', 'c2').map((id) => call(id)),
      fc
        .constantFrom('c1', 'c2')
        .map((id) => update({ sessionUpdate: 'tool_call_update', toolCallId: id, status: 'completed' })),
      fc.constantFrom<ChatEvent>(
        asked,
        started,
        { type: 'changes_changed' },
        { type: 'turn_ended', stopReason: 'end_turn' },
      ),
      fc.constant<ChatEvent>({ type: 'permission_settled', requestId: 'r1', optionId: 'once' }),
    ),
    { maxLength: 40 },
  )
  .map((events) => events.map((event, index): ChatEvent => ({ ...event, seq: index + 1, at: index })));

describe('events with numbers', () => {
  test('events that come again after a reconnection change nothing', () => {
    fc.assert(
      fc.property(history, fc.array(fc.nat(40)), (events, cuts) => {
        const again: ChatEvent[] = [];
        let next = 0;
        for (const cut of cuts) {
          const end = Math.max(next, Math.min(cut, events.length));
          again.push(...events.slice(Math.max(0, next - (cut % 9)), end));
          next = end;
        }
        again.push(...events.slice(Math.max(0, next - 5)));
        expect(play(opened, ...again)).toEqual(play(opened, ...events));
      }),
    );
  });

  test('it makes no difference how many events are applied at once', () => {
    fc.assert(
      fc.property(history, fc.array(fc.nat(40)), (events, cuts) => {
        const ends = [...cuts.map((cut) => Math.min(cut, events.length)), events.length].sort(
          (a, b) => a - b,
        );
        let view = play(opened);
        let next = 0;
        for (const end of ends) {
          view = reduce(view, events.slice(next, end), 0);
          next = end;
        }
        expect(view).toEqual(play(opened, ...events));
      }),
    );
  });

  test('what an event does not concern stays the same object', () => {
    const before = play(opened, said('Hello'), call('c1'));
    const after = reduce(before, [said('More', 'm2')], 0);
    expect([
      after.items[0] === before.items[0],
      after.items[1] === before.items[1],
      after.plan === before.plan,
    ]).toEqual([true, true, true]);
  });
});
