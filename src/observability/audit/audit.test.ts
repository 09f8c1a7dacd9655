import { appendFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sweep } from '../../../test/support/soak.ts';
import { workspace } from '../../../test/support/workspace.ts';
import type { AgentEvent } from '../../contract/event.ts';
import { type AuditOptions, createAudit } from './audit.ts';
import { readAudit } from './read-audit.ts';

async function auditing(options: Partial<AuditOptions> = {}) {
  const { home } = await workspace();
  const file = options.file ?? path.join(home, 'data/audit.jsonl');
  const troubles: string[] = [];
  const audit = createAudit({
    file,
    sessionId: 'session-1',
    cwd: '/p',
    redact: (value) => JSON.parse(JSON.stringify(value).replaceAll('canary', '[secret]')),
    onTrouble: (message) => troubles.push(message),
    now: () => new Date('2026-01-01T00:00:00Z'),
    ...options,
  });
  return { home, file, audit, troubles };
}

const judged = (callId: string, verdict: 'allow' | 'deny' = 'allow', target = 'ls'): AgentEvent => ({
  type: 'judged',
  callId,
  tool: 'Bash',
  verdict,
  by: 'user',
  because: `about ${target}`,
  accesses: [{ kind: 'execute', target }],
});
const ended = (callId: string, metadata?: Record<string, unknown>): AgentEvent => ({
  type: 'tool_end',
  callId,
  name: 'Bash',
  success: true,
  durationMs: 5,
  ...(metadata && { metadata }),
});

test('[U15] a judged call and its outcome are one line each; other events, and ends of calls that never ran, write none', async () => {
  const { audit, file } = await auditing();
  const events: AgentEvent[] = [
    { type: 'turn_start', turn: 1 },
    judged('a'),
    judged('b', 'deny', 'cat canary'),
    ended('b'),
    ended('a', { exitCode: 0 }),
    ended('a'),
    ended('never judged'),
  ];
  for (const event of events) audit.take(event);
  const common = { time: '2026-01-01T00:00:00.000Z', session: 'session-1', tool: 'Bash' };
  const decided = { ...common, type: 'judged', cwd: '/p', by: 'user' };
  expect(
    (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => {
        const { seq, prev, hash, ...record } = JSON.parse(line);
        expect([typeof seq, prev.length, hash.length]).toEqual(['number', 64, 64]);
        return record;
      }),
  ).toEqual([
    {
      ...decided,
      callId: 'a',
      verdict: 'allow',
      because: 'about ls',
      accesses: [{ kind: 'execute', target: 'ls' }],
    },
    {
      ...decided,
      callId: 'b',
      verdict: 'deny',
      because: 'about cat [secret]',
      accesses: [{ kind: 'execute', target: 'cat [secret]' }],
    },
    { ...common, type: 'outcome', callId: 'a', success: true, exitCode: 0, durationMs: 5 },
  ]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('a full log is rotated, five are kept, and no line is lost before that', async () => {
  const { audit, file, home } = await auditing({ maxBytes: 1000 });
  for (let i = 0; i < 12; i++) audit.take(judged(`call-${i}`));
  const ids = (await readAudit(file, { tail: 100 })).map(({ callId }) => callId);
  expect(ids).toEqual(Array.from({ length: 12 }, (_, i) => `call-${i}`));
  for (let i = 12; i < 100; i++) audit.take(judged(`call-${i}`));
  const names = (await readdir(path.join(home, 'data'))).sort();
  expect(names).toEqual([...[1, 2, 3, 4, 5].map((n) => `audit.${n}.jsonl`), 'audit.head', 'audit.jsonl']);
  expect((await readAudit(file, { tail: 1 })).map(({ callId }) => callId)).toEqual(['call-99']);
});

test('a write failure is reported once and stops nothing', async () => {
  const { home } = await workspace();
  await writeFile(path.join(home, 'data'), 'a file, not a folder');
  const { audit, troubles } = await auditing({ file: path.join(home, 'data/audit.jsonl') });
  audit.take(judged('a'));
  audit.take(ended('a'));
  expect(troubles).toEqual([
    expect.stringMatching(/^Cannot write the audit log \(.*\)\. The run continues\.$/),
  ]);
});

test('reading: by session, only refusals, the latest; torn and foreign lines are skipped', async () => {
  const { audit, file, home } = await auditing();
  audit.take(judged('a'));
  await appendFile(file, '{"type":"judg\nhello\n');
  audit.take(judged('b', 'deny'));
  const other = await auditing({ file, sessionId: 'other-2' });
  other.audit.take(judged('a', 'deny'));
  audit.take(ended('a', { exitCode: null }));
  const idsOf = async (query: Parameters<typeof readAudit>[1]) =>
    (await readAudit(file, query)).map(({ session, callId }) => `${session} ${callId}`);
  expect(await idsOf({ tail: 9 })).toEqual(['session-1 a', 'session-1 b', 'other-2 a']);
  expect(await idsOf({ tail: 1 })).toEqual(['other-2 a']);
  expect(await idsOf({ tail: 9, denied: true, session: 'sess' })).toEqual(['session-1 b']);
  expect((await readAudit(file, { tail: 9 }))[0]?.outcome).toEqual({
    success: true,
    exitCode: null,
    durationMs: 5,
  });
  expect(await readAudit(path.join(home, 'none.jsonl'), { tail: 9 })).toEqual([]);
});

sweep([10, 100])(
  'whatever a call accesses, its record is a single line that says so (%i runs)',
  async (numRuns) => {
    const { audit, file } = await auditing({ redact: (value) => value });
    await mkdir(path.dirname(file), { recursive: true });
    let n = 0;
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (target) => {
        audit.take(judged(String(n++), 'allow', target));
      }),
      { numRuns },
    );
    audit.take(judged('long', 'allow', 'x'.repeat(50_000)));
    const lines = (await readFile(file, 'utf8')).trim().split('\n');
    expect(lines.length).toBe(n + 1);
    const last = JSON.parse(lines.at(-1) ?? '') as { accesses: { target: string }[] };
    expect(last.accesses[0]?.target).toBe(`${'x'.repeat(10_000)}… (50000 characters in total)`);
  },
);
