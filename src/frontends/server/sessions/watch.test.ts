import { setImmediate as nextRound } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EventLog } from './event-log.ts';
import { type Delivery, Watch } from './watch.ts';

const chunk = (text: string) =>
  ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }) as const;

const textOf = ({ update }: Delivery) =>
  update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text' ? update.content.text : '';

/** A session, as far as its clients can see it: what is saved, and the log. */
class Played {
  readonly log: EventLog;
  readonly all: string[] = [];
  #saved = 0;

  constructor(mostBytes: number) {
    this.log = new EventLog('now', mostBytes);
  }

  say(): void {
    const text = `${this.all.length};`;
    this.all.push(text);
    this.log.append(chunk(text));
  }

  save(): void {
    this.#saved = this.all.length;
    this.log.saved();
  }

  snapshot(): Delivery[] {
    const past = this.all.slice(0, this.#saved).map((text) => ({ update: chunk(text), meta: {} }));
    return [...past, ...this.log.unsaved()];
  }
}

/** A client that loses its connection after some updates, as often as it is told. */
class Reader {
  readonly #session: Played;
  seen: string[] = [];
  #seq: number | null = null;
  #watch: Watch | null = null;
  #epoch = 0;

  constructor(session: Played) {
    this.#session = session;
  }

  connect(): void {
    this.cut();
    const { log } = this.#session;
    this.#epoch++;
    const own = this.#epoch;
    const isKnown = this.#seq !== null && log.knows({ epoch: 'now', seq: this.#seq });
    if (!isKnown) this.seen = [];
    const first = isKnown ? [] : this.#session.snapshot();
    // Cut off amid the snapshot, a client has no position and starts again.
    const start = isKnown && this.#seq !== null ? this.#seq : log.position.seq;
    if (!isKnown) this.#seq = null;
    let left = first.length;
    this.#watch = new Watch({
      log,
      send: async (delivery) => {
        await nextRound();
        if (own !== this.#epoch) throw new Error('cut off');
        this.seen.push(textOf(delivery));
        left--;
        if (left <= 0) this.#seq = delivery.meta.seq ?? start;
      },
      onBehind: () => this.connect(),
    });
    void this.#watch.start({ first, seq: start });
  }

  cut(): void {
    this.#epoch++;
    this.#watch?.end();
  }
}

const step = fc.oneof(
  { weight: 8, arbitrary: fc.constant('say' as const) },
  { weight: 2, arbitrary: fc.constant('save' as const) },
  { weight: 2, arbitrary: fc.constant('wait' as const) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom('cut' as const, 'connect' as const), fc.nat(2)) },
);

test('whoever is cut off and comes back has seen every update once, in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 80 }),
      fc.integer({ min: 2_000, max: 20_000 }),
      async (steps, room) => {
        const session = new Played(room);
        const readers = [0, 1, 2].map(() => new Reader(session));
        for (const one of steps) {
          if (one === 'say') session.say();
          else if (one === 'save') session.save();
          else if (one === 'wait') await nextRound();
          else readers[one[1]]?.[one[0]]();
        }
        for (const reader of readers) reader.connect();
        await until(() => readers.every(({ seen }) => seen.length >= session.all.length));

        for (const { seen } of readers) expect(seen).toEqual(session.all);
      },
    ),
    { numRuns: 60 },
  );
});

describe('memory', () => {
  test('is limited, and only what is saved is forgotten', () => {
    const session = new Played(1_000);
    for (let turn = 0; turn < 50; turn++) {
      session.say();
      session.save();
    }
    session.say();

    expect(session.log.knows({ epoch: 'now', seq: 1 })).toBe(false);
    expect(session.snapshot().map(textOf)).toEqual(session.all);
  });

  test('of a command that prints a lot, the latest output is kept', () => {
    const log = new EventLog('now', 4_000);
    log.append({ sessionUpdate: 'tool_call', toolCallId: '1', title: 'Run it', status: 'in_progress' });
    for (let line = 0; line < 100; line++)
      log.append({
        sessionUpdate: 'tool_call_update',
        toolCallId: '1',
        content: [{ type: 'content', content: { type: 'text', text: `line ${line} ${'.'.repeat(100)}` } }],
      });

    const kept = log.unsaved();
    expect(kept[0]?.update).toMatchObject({ sessionUpdate: 'tool_call', title: 'Run it' });
    expect(JSON.stringify(kept.at(-1)?.update)).toContain('line 99');
    expect(kept.length).toBeLessThan(30);
  });

  test('a client that reads nothing costs no memory and is told to come back', async () => {
    const session = new Played(2_000);
    let isBehind = false;
    let taken = 0;
    const watch = new Watch({
      log: session.log,
      send: () => {
        taken++;
        return taken === 1 ? new Promise((resolve) => setImmediate(resolve)) : Promise.resolve();
      },
      onBehind: () => {
        isBehind = true;
      },
    });
    void watch.start({ first: [], seq: 0 });
    session.say();
    await Promise.resolve();
    for (let i = 0; i < 200; i++) session.say();

    await until(() => isBehind);
    expect(taken).toBe(1);
  });
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await nextRound();
}
