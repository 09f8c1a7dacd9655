import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import type { AgentEvent } from '../../contract/event.ts';
import { lastWarnings } from './last-warnings.ts';
import { createLog, type LogOptions, logFileIn } from './log.ts';
import { type LogEntry, logLevels } from './log-entry.ts';

const ids = {
  traceId: '11111111-1111-4111-8111-111111111111',
  spanId: '22222222-2222-4222-8222-222222222222',
};

async function logging(options: Partial<LogOptions> = {}) {
  const { home } = await workspace();
  const troubles: string[] = [];
  const log = createLog({
    file: logFileIn(home),
    level: 'debug',
    sessionId: 'session-1',
    redact: (value) => JSON.parse(JSON.stringify(value).replaceAll('canary', '[secret]')),
    onTrouble: (message) => troubles.push(message),
    now: () => new Date('2026-01-01T00:00:00Z'),
    ...options,
  });
  const entries = async (): Promise<LogEntry[]> =>
    (await readFile(logFileIn(home), 'utf8'))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return { home, log, troubles, entries };
}

/** Characters that JSON, or a file of lines, might trip over. */
const awkward = fc.constantFrom('a', 'é', '👍', '"', '\\', '{', '\n', '\r', '\0', '\u2028', '\ud800', '\x1b');

const notice = (level: 'info' | 'warn', text: string): AgentEvent => ({ type: 'notice', level, text });

describe('[O06] the log', () => {
  test('has one JSON line per entry, exactly as documented', async () => {
    const { log, entries } = await logging();
    log.take({ type: 'tool_end', callId: 'c', name: 'Read', success: false, durationMs: 7 }, ids);
    log.take({ type: 'retry', kind: 'overloaded', message: 'with canary', attempt: 1, delayMs: 9 }, ids);
    expect(await entries()).toEqual([
      {
        timestamp: '2026-01-01T00:00:00.000Z',
        level: 'info',
        message: 'call failed',
        context: { sessionId: 'session-1', toolName: 'Read', ...ids },
        metadata: { callId: 'c', durationMs: 7 },
      },
      {
        timestamp: '2026-01-01T00:00:00.000Z',
        level: 'warn',
        message: 'retried: with [secret]',
        context: { sessionId: 'session-1', ...ids },
        metadata: { kind: 'overloaded', attempt: 1, delayMs: 9 },
      },
    ]);
  });

  test('a line outside of a run has its own ids', async () => {
    const { log, entries } = await logging();
    log.write({ level: 'error', message: 'crashed', metadata: {} });
    const [entry] = await entries();
    expect(entry?.context.traceId).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    expect(entry?.context.spanId).not.toBe(entry?.context.traceId);
  });

  test('writes its level and above; without such a line there is no file and no folder', async () => {
    for (const [i, level] of logLevels.entries()) {
      const { log, entries } = await logging({ level });
      for (const one of logLevels) log.write({ level: one, message: one, metadata: {} });
      expect((await entries()).map((entry) => entry.level)).toEqual(logLevels.slice(i));
    }
    for (const level of ['warn', 'off'] as const) {
      const { log, home } = await logging({ level });
      log.take({ type: 'run_start', sessionId: 's', provider: 'p', model: 'm', cwd: '/', messages: 1 }, ids);
      log.take({ type: 'turn_start', turn: 1 }, ids);
      expect(existsSync(path.join(home, 'logs'))).toBe(false);
    }
  });

  test('prompts, answers, inputs and outputs are in no line', async () => {
    const { log, entries } = await logging();
    const text = 'PRIVATE';
    const user = { role: 'user' as const, content: [{ type: 'text' as const, text }], timestamp: text };
    const events: AgentEvent[] = [
      { type: 'message', message: user },
      { type: 'text', text },
      { type: 'thinking', text },
      { type: 'tool_start', call: { id: 'c', name: 'Bash', input: { command: text } }, title: text },
      { type: 'tool_progress', callId: 'c', text },
      {
        type: 'tool_end',
        callId: 'c',
        name: 'Bash',
        success: true,
        durationMs: 1,
        display: { kind: 'text', text },
        metadata: { text },
      },
    ];
    for (const event of events) {
      log.take(event, ids);
      log.take({ type: 'subagent', callId: 'c', agent: text, event }, ids);
    }
    expect(JSON.stringify(await entries())).not.toContain(text);
  });

  test('any message is one line and round-trips', async () => {
    const { log, entries } = await logging({ redact: (value) => value });
    const texts: string[] = [];
    fc.assert(
      fc.property(fc.string({ unit: awkward, maxLength: 50 }), (text) => {
        texts.push(text);
        log.take(notice('warn', text), ids);
      }),
    );
    // Half a surrogate pair has no bytes: it is replaced by another character.
    const written = texts.map((text) => JSON.parse(JSON.stringify(text)));
    expect((await entries()).map(({ message }) => message)).toEqual(written);
  });

  test('a full disk causes one notice, even if the notice comes back as an event', async () => {
    const { home } = await workspace();
    await writeFile(path.join(home, 'logs'), 'a file where the folder would be');
    const troubles: string[] = [];
    const log = createLog({
      file: logFileIn(home),
      level: 'warn',
      sessionId: 's',
      redact: (value) => value,
      onTrouble: (message) => {
        troubles.push(message);
        log.take(notice('warn', message), ids);
      },
    });
    log.take(notice('warn', 'one'), ids);
    log.take(notice('warn', 'two'), ids);
    expect(troubles).toEqual([expect.stringMatching(/^Cannot write the log .*The run continues\.$/)]);
  });
});

describe('the last warnings', () => {
  test('are the warnings and errors of all files, latest last; damaged lines are skipped', async () => {
    const { home, log } = await logging({ maxBytes: 400 });
    for (let i = 0; i < 6; i++) {
      log.take(notice('info', `info ${i}`), ids);
      log.take(notice('warn', `warn ${i}`), ids);
    }
    await writeFile(logFileIn(home), '{"torn":\nnull\n{"level":"warn"}\n', { flag: 'a' });
    const messages = async (count: number) => (await lastWarnings(home, count)).map(({ message }) => message);
    expect(await messages(3)).toEqual(['warn 3', 'warn 4', 'warn 5']);
    expect((await messages(100)).at(0)).not.toBe('warn 5');
    expect(await messages(1)).toEqual(['warn 5']);
  });

  test('are empty without a log', async () => {
    const { home } = await workspace();
    expect(await lastWarnings(home, 5)).toEqual([]);
    await mkdir(path.dirname(logFileIn(home)));
    await writeFile(logFileIn(home), '');
    expect(await lastWarnings(home, 5)).toEqual([]);
  });
});
