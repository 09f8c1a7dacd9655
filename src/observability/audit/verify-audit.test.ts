import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bundleScript } from '../../../test/support/bundle-script.ts';
import { runTogether } from '../../../test/support/run-together.ts';
import { rounds, sweep } from '../../../test/support/soak.ts';
import { workspace } from '../../../test/support/workspace.ts';
import { filesOfLog } from '../log/rotating-file.ts';
import { ChainedLog, headFileOf, readHead } from './chained-log.ts';
import { verifyAudit, verifyAuditCalmly } from './verify-audit.ts';

async function logOf(count: number, maxBytes = 10_000_000): Promise<string> {
  const { home } = await workspace();
  const file = path.join(home, 'audit.jsonl');
  const log = new ChainedLog(file, maxBytes);
  for (let i = 0; i < count; i++) log.append({ type: 'judged', target: `ls é ${i}` });
  return file;
}

const textOf = (file: string) => readFileSync(file, 'utf8');
const linesOf = (file: string) => textOf(file).split('\n').slice(0, -1);
const write = (file: string, lines: readonly string[]) =>
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''));

describe('an unmodified log', () => {
  test('is valid, across all its files, and reports its head', async () => {
    const file = await logOf(60, 1_000);
    const { broken, last, notes, entries } = verifyAudit(file);
    expect({ broken, notes }).toEqual({ broken: null, notes: [] });
    expect(last).toEqual({ seq: 60, hash: readHead(file)?.hash });
    expect(entries).toBeLessThan(60);
    expect(await verifyAuditCalmly(file)).toEqual(verifyAudit(file));
    expect(filesOfLog(file).every((name) => existsSync(name))).toBe(true);
    const { seq, hash } = JSON.parse(linesOf(file).at(-1) ?? '') as { seq: number; hash: string };
    expect(verifyAudit(file, { seq, hash }).broken).toBe(null);
    expect(verifyAudit(file, { seq, hash: '0'.repeat(64) }).broken).toMatchObject({
      because: 'this is not the anchor entry',
    });
    expect(verifyAudit(file, { seq: 61, hash }).broken).toMatchObject({
      because: 'entry 61, the anchor, is missing',
    });
  });

  test('is valid if it grows while it is checked', async () => {
    const file = await logOf(20);
    const checked = verifyAuditCalmly(file);
    new ChainedLog(file).append({ type: 'judged', target: 'pwd' });
    new ChainedLog(file).append({ type: 'judged', target: 'pwd' });
    expect(await checked).toMatchObject({ entries: 20, broken: null, notes: [] });
  });

  test('is valid if several processes write and rotate it at once', async () => {
    const { home } = await workspace();
    const file = path.join(home, 'logs', 'audit.jsonl');
    const args = (name: string) => [file, '60000', '100', name];
    const names = ['a', 'b', 'c', 'd'];
    expect(await runTogether('append-chained.ts', { folder: home, each: names.map(args) })).toEqual(
      names.map(() => ''),
    );
    expect(verifyAudit(file)).toMatchObject({ entries: 400, broken: null, last: { seq: 400 }, notes: [] });
  });

  test('is valid after processes were killed while writing', async () => {
    const { home } = await workspace();
    const file = path.join(home, 'audit.jsonl');
    const outfile = path.join(home, 'append.mjs');
    await bundleScript('test/support/append-chained.ts', outfile);
    for (let i = 0; i < 6; i++) {
      const child = spawn(process.execPath, [outfile, file, '50000', '100000', `${i}`], { stdio: 'ignore' });
      const ended = new Promise((resolve) => child.once('exit', resolve));
      while (!existsSync(file) || linesOf(file).length < 3) await new Promise((r) => setTimeout(r, 5));
      await new Promise((resolve) => setTimeout(resolve, 20 + i * 7));
      child.kill('SIGKILL');
      await ended;
    }
    new ChainedLog(file, 50_000).append({ line: 'the last one' });
    expect(verifyAudit(file).broken).toBe(null);
    expect(textOf(file)).toContain('the last one');
  });

  test('an incomplete line is reported and closed by the next one; so is an entry missing from the head', async () => {
    const file = await logOf(3);
    appendFileSync(file, '{"type":"judg');
    expect(verifyAudit(file)).toMatchObject({
      broken: null,
      notes: ['The last line is cut off: a write was interrupted.'],
    });
    new ChainedLog(file).append({ type: 'judged' });
    expect(verifyAudit(file)).toMatchObject({
      entries: 4,
      broken: null,
      notes: ['audit.jsonl:4 is cut off: a write was interrupted.'],
    });
    // The process ended after the entry and before the head.
    const head = textOf(headFileOf(file));
    new ChainedLog(file).append({ type: 'outcome' });
    writeFileSync(headFileOf(file), head);
    expect(verifyAudit(file)).toMatchObject({
      entries: 5,
      broken: null,
      notes: [expect.any(String), 'The last entry was written just before its process ended.'],
    });
    new ChainedLog(file).append({ type: 'outcome' });
    expect(verifyAudit(file)).toMatchObject({ entries: 6, broken: null });
  });

  test('lines from before the chain are reported, and covered from then on', async () => {
    const { home } = await workspace();
    const file = path.join(home, 'audit.jsonl');
    write(path.join(home, 'audit.1.jsonl'), ['{"type":"older"}']);
    write(file, ['{"type":"judged"}', '{"type":"outcome"}']);
    expect(verifyAudit(file)).toEqual({
      ...{ entries: 0, last: null, broken: null },
      notes: [
        'audit.1.jsonl predates chained logs: not verified.',
        'audit.jsonl predates chained logs: not verified.',
      ],
    });
    new ChainedLog(file).append({ type: 'judged' });
    expect(verifyAudit(file)).toMatchObject({
      entries: 1,
      broken: null,
      notes: [expect.stringContaining('audit.1.jsonl'), '2 lines predate chained logs.'],
    });
    write(file, ['{"type":"judgee"}', ...linesOf(file).slice(1)]);
    expect(verifyAudit(file).broken).toEqual({
      ...{ file, line: 3 },
      because: 'the content before the first entry was changed',
    });
  });
});

describe('any tampering is detected', () => {
  sweep([200, rounds(800, 2_000)])('a changed byte, anywhere (%i runs)', async (numRuns) => {
    const file = await logOf(4);
    const bytes = readFileSync(file);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ by;
        writeFileSync(file, changed);
        expect(verifyAudit(file).broken).not.toBe(null);
      }),
      { numRuns },
    );
    writeFileSync(file, bytes);
    expect(verifyAudit(file).broken).toBe(null);
  });

  sweep([200, rounds(800, 2_000)])('a byte inserted or removed, anywhere (%i runs)', async (numRuns) => {
    const file = await logOf(3);
    const bytes = readFileSync(file);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.option(fc.nat(255)), (at, put) => {
        const parts = [bytes.subarray(0, at), Buffer.from(put === null ? [] : [put])];
        writeFileSync(file, Buffer.concat([...parts, bytes.subarray(put === null ? at + 1 : at)]));
        const { broken } = verifyAudit(file);
        expect([at, put, broken]).not.toEqual([at, put, null]);
      }),
      { numRuns },
    );
  });

  sweep([100, rounds(400, 1_000)])(
    'lines removed, swapped, inserted, repeated or truncated, in any file (%i runs)',
    async (numRuns) => {
      const file = await logOf(30, 1_500);
      const names = filesOfLog(file).filter((name) => existsSync(name));
      const whole = names.map((name) => ({ name, lines: linesOf(name) }));
      const action = fc.constantFrom(
        'remove',
        'swap',
        'put in',
        'repeat',
        'cut off',
        'blank',
        'without chain',
      );
      fc.assert(
        fc.property(fc.nat(), fc.nat(), fc.nat(), action, (which, one, other, what) => {
          const { name, lines } = whole[which % whole.length] ?? { name: '', lines: [] };
          const i = one % lines.length;
          const j = other % lines.length;
          const at = (k: number) => lines[k] ?? '';
          const bare = JSON.stringify({
            ...JSON.parse(at(i)),
            seq: undefined,
            prev: undefined,
            hash: undefined,
          });
          const changed: Record<typeof what, string[]> = {
            remove: lines.toSpliced(i, 1),
            swap: lines.with(i, at(j)).with(j, at(i)),
            'put in': lines.toSpliced(i, 0, '{"type":"judged"}'),
            repeat: lines.toSpliced(j, 0, at(i)),
            'cut off': lines.slice(0, i),
            blank: lines.toSpliced(i, 0, ''),
            'without chain': lines.with(i, bare),
          };
          fc.pre(what !== 'swap' || i !== j);
          write(name, changed[what]);
          const { broken } = verifyAudit(file);
          write(name, lines);
          expect([what, i, j, broken]).not.toEqual([what, i, j, null]);
          expect(names).toContain(broken?.file);
        }),
        { numRuns },
      );
      expect(verifyAudit(file).broken).toBe(null);
    },
  );

  test('a log truncated at any byte, also if the program continued writing', async () => {
    const file = await logOf(4);
    const bytes = readFileSync(file);
    const head = textOf(headFileOf(file));
    for (let size = 0; size < bytes.length; size += 7) {
      writeFileSync(file, bytes);
      writeFileSync(headFileOf(file), head);
      truncateSync(file, size);
      expect([size, verifyAudit(file).broken]).not.toEqual([size, null]);
      new ChainedLog(file).append({ type: 'judged' });
      expect([size, verifyAudit(file).broken]).not.toEqual([size, null]);
    }
  });

  test('missing files, and a missing, damaged or outdated head', async () => {
    const file = await logOf(30, 1_500);
    const names = filesOfLog(file).filter((name) => existsSync(name));
    for (const name of names) {
      const text = textOf(name);
      rmSync(name);
      expect([name, verifyAudit(file).broken]).not.toEqual([name, null]);
      writeFileSync(name, text);
    }
    const head = textOf(headFileOf(file));
    for (const other of [
      '',
      'null',
      '{}',
      head.replace(/"seq":30/, '"seq":29'),
      head.replace(/[0-9a-f]"/, '0"'),
    ]) {
      if (other === head) continue;
      writeFileSync(headFileOf(file), other);
      expect([other, verifyAudit(file).broken]).not.toEqual([other, null]);
    }
    rmSync(headFileOf(file));
    expect(verifyAudit(file).broken).toEqual({
      file: headFileOf(file),
      because: 'it is missing or damaged: entries at the end may be missing',
    });
    new ChainedLog(file, 1_500).append({ type: 'judged' });
    expect(verifyAudit(file).broken).toMatchObject({
      because: 'the head was missing when this entry was written: entries before it may be missing',
    });
  });
});
