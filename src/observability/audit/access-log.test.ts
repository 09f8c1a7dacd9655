import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccessLog, readAccesses } from './access-log.ts';
import { readAudit } from './read-audit.ts';
import { verifyAudit } from './verify-audit.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'access-log-'));
});
afterAll(() => rm(folder, { recursive: true }));

const eve = { id: 'g1', name: 'Eve', role: 'viewer' };

test('two hours of refused requests fills no disk, hides nobody, and is counted', async () => {
  const file = path.join(folder, 'flood.jsonl');
  let time = Date.parse('2026-01-01T00:00:00Z');
  const log = createAccessLog({
    file,
    onTrouble: (text) => expect.unreachable(text),
    now: () => new Date(time),
  });
  for (let i = 0; i < 5_000; i++) {
    time += 1_440;
    log.writeLimited({
      event: 'refused',
      address: '10.0.0.1',
      detail: `unknown host: GET /${'a'.repeat(9_000)}`,
    });
  }
  log.writeLimited({ event: 'refused', by: eve, session: 's1', detail: 'Your role is viewer.' });
  log.write({ event: 'approved', by: { ...eve, role: 'editor' }, session: 's1', detail: 'Bash npm test' });
  log.close();
  expect((await stat(file)).size).toBeLessThan(100_000);
  const entries = await readAccesses(file, { tail: 3 });
  expect(entries).toMatchObject([
    { event: 'refused', by: eve },
    { event: 'approved', session: 's1' },
    { event: 'not logged one by one', detail: expect.stringMatching(/^refused: 48\d\d more$/) },
  ]);
  expect(await readAccesses(file, { tail: 9, session: 's' })).toHaveLength(2);
  expect(verifyAudit(file).broken).toBe(null);
  expect(await readAudit(file, { tail: 9, session: 's1' })).toEqual([]);
});

test('a log that cannot be written is reported once', async () => {
  await writeFile(path.join(folder, 'file'), '');
  const said: string[] = [];
  const log = createAccessLog({
    file: path.join(folder, 'file', 'a.jsonl'),
    onTrouble: (text) => said.push(text),
  });
  log.write({ event: 'signed in' });
  log.write({ event: 'signed in' });
  expect(said).toEqual([
    expect.stringMatching(/^Cannot write the audit log \(.*\)\. The server continues\.$/),
  ]);
});
