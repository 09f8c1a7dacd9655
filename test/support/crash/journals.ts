import fc from 'fast-check';
import type { Message, ToolMessage } from '../../../src/contract/message.ts';
import type { JournalRecord } from '../../../src/session/records.ts';

const at = '2026-01-01T00:00:00.000Z';

export const header: JournalRecord = {
  type: 'header',
  version: 1,
  id: 's',
  workingDirectory: '/project',
  startedAt: at,
  settings: { model: 'a/b' },
};

export function prompt(text: string): JournalRecord {
  return { type: 'message', message: { role: 'user', content: [{ type: 'text', text }], timestamp: at } };
}

export function answerTo(callId: string, text: string): ToolMessage {
  return {
    role: 'tool',
    callId,
    name: 'Bash',
    success: true,
    content: [{ type: 'text', text }],
    timestamp: at,
  };
}

export function reply(text: string, callIds: readonly string[] = []): Message {
  return {
    role: 'assistant',
    content: [
      { type: 'thinking', text: `about ${text}`, signature: 'proof' },
      { type: 'text', text },
      ...callIds.map((id) => ({ type: 'tool_call' as const, id, name: 'Bash', input: { command: id } })),
    ],
    provider: 'a',
    model: 'b',
    stopReason: callIds.length > 0 ? 'tool_calls' : 'end',
    timestamp: at,
  };
}

/** Other records in a journal; the last is from a future version. */
const asides: JournalRecord[] = [
  { type: 'title', title: 'A title' },
  { type: 'pin', pinned: true },
  { type: 'pin', pinned: false },
  {
    type: 'grant',
    permission: { type: 'execute', pattern: 'Bash(ls)', action: 'allow', scope: 'session', grantedAt: at },
  },
  { type: 'ungrant', pattern: 'Bash(ls)' },
  { type: 'decision', callId: 'one', choice: 'once', by: 'Ada' },
  { type: 'end' },
  { type: 'newer', what: [1, 2, 3] } as never,
];

type Turn = { text: string; calls: number; aside: number; pad: number };

const turn: fc.Arbitrary<Turn> = fc.record({
  text: fc.string({ maxLength: 12 }),
  calls: fc.nat(3),
  aside: fc.nat(asides.length),
  pad: fc.constant(0),
});

/** Journals as sessions write them, with every kind of record; some end abruptly. */
export const journals: fc.Arbitrary<JournalRecord[]> = fc
  .record({
    turns: fc.array(turn, { minLength: 1, maxLength: 6 }),
    missing: fc.nat(8),
    rewind: fc.option(fc.nat(6)),
  })
  .map(({ turns, missing, rewind }) => {
    const records = journalOf(turns);
    const whole =
      rewind === null ? records : [...records, { type: 'rewind' as const, keep: rewind }, prompt('anew')];
    return whole.slice(0, Math.max(1, whole.length - missing));
  });

export function journalOf(turns: readonly Turn[]): JournalRecord[] {
  return [header, ...turns.flatMap(recordsOf)];
}

function recordsOf({ text, calls, aside, pad }: Turn, n: number): JournalRecord[] {
  const ids = Array.from({ length: calls }, (_, i) => `call ${n}.${i}`);
  const answers = ids.map((id) => answerTo(id, `${text}${'x'.repeat(pad)}`));
  const extra = asides[aside];
  return [
    prompt(`${n} ${text}`),
    { type: 'reply', provider: 'a', model: 'b', at },
    { type: 'delta', kind: 'thinking', text: 'about ' },
    ...Array.from(`answer ${n}`, (letter) => ({
      type: 'delta' as const,
      kind: 'text' as const,
      text: letter,
    })),
    ...(n % 3 === 2 ? [{ type: 'reclassify' as const, as: 'text' as const }] : []),
    { type: 'cost', costUsd: n % 2 === 0 ? 0.5 : null },
    { type: 'message', message: reply(`answer ${n}`, ids) },
    ...ids.map((callId) => ({ type: 'call_started' as const, callId })),
    ...answers.map((message) => ({ type: 'call_answered' as const, message })),
    ...answers.map((message) => ({ type: 'message' as const, message })),
    ...(extra ? [extra] : []),
  ];
}

export function bytesOf(records: readonly JournalRecord[]): Buffer {
  return Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
}

/** `line` is the first changed line. */
export type Damaged = { bytes: Buffer; line: number };

export type Damage = { kind: 'flip' | 'cut' | 'double' | 'swap' | 'drop'; where: number; other: number };

export const damages: fc.Arbitrary<Damage> = fc.record({
  kind: fc.constantFrom('flip', 'cut', 'double', 'swap', 'drop'),
  where: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  other: fc.nat(255),
});

export function damage(records: readonly JournalRecord[], { kind, where, other }: Damage): Damaged {
  const bytes = bytesOf(records);
  const place = Math.floor(where * bytes.length);
  const lines = records.map((record) => JSON.stringify(record));
  const line = Math.floor(where * lines.length);
  const second = other % lines.length;
  const joined = (changed: readonly string[]) => Buffer.from(changed.map((text) => `${text}\n`).join(''));
  switch (kind) {
    case 'flip': {
      const flipped = Buffer.from(bytes);
      flipped[place] = other;
      return { bytes: flipped, line: lineAt(bytes, place) };
    }
    case 'cut':
      return { bytes: bytes.subarray(0, place), line: lineAt(bytes, place) };
    case 'double':
      return {
        bytes: joined(lines.flatMap((text, i) => (i === line ? [text, text] : [text]))),
        line: line + 1,
      };
    case 'drop':
      return { bytes: joined(lines.filter((_, i) => i !== line)), line };
    case 'swap': {
      const swapped = [...lines];
      [swapped[line], swapped[second]] = [lines[second] ?? '', lines[line] ?? ''];
      return { bytes: joined(swapped), line: Math.min(line, second) };
    }
    default:
      return kind satisfies never;
  }
}

function lineAt(bytes: Buffer, place: number): number {
  return bytes.subarray(0, place).filter((byte) => byte === 10).length;
}
