import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { listProcesses, parsePs } from './process-table.ts';

test.skipIf(process.platform === 'win32')(
  'a child is listed with its parent and its group; the mark identifies it',
  async () => {
    const prefix = `${randomUUID()}:`;
    const child = spawn('sleep', ['60'], {
      detached: true,
      env: { PATH: process.env.PATH, MARK: `${prefix}1;` },
    });
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    await once(child, 'spawn');
    const find = async (mark?: string) =>
      (await listProcesses(mark === undefined ? undefined : { name: 'MARK', prefix: mark })).find(
        (row) => row.pid === child.pid,
      );
    const row = {
      pid: child.pid,
      parent: process.pid,
      group: child.pid,
      started: expect.stringMatching(/./),
      threads: 1,
      residentKb: expect.any(Number),
    };
    expect(await find()).toEqual({ ...row, marked: false });
    expect(await find(randomUUID())).toEqual({ ...row, marked: false });
    if (process.platform === 'linux') {
      expect(await find(prefix)).toEqual({ ...row, marked: true });
      expect(await find(`${prefix}1;`)).toEqual({ ...row, marked: true });
      expect(await find(`${prefix}11;`)).toEqual({ ...row, marked: false });
    }
  },
);

test('the macOS process table: zombies are omitted, the mark is read after the command', () => {
  const table = [
    '    1     0     1 Ss    7120 Thu Jan  1 10:00:00 2026     /sbin/launchd',
    '  501   500   501 S+   61440 Thu Jan  1 10:00:01 2026     node server.js PATH=/bin MARK=abc:1; HOME=/Users/me',
    '  502   501   501 Z+       0 Thu Jan  1 10:00:02 2026     (node)',
    '',
  ].join('\n');
  expect(parsePs(table, { name: 'MARK', prefix: 'abc:' })).toEqual([
    {
      pid: 1,
      parent: 0,
      group: 1,
      started: 'Thu Jan  1 10:00:00 2026',
      threads: 1,
      residentKb: 7120,
      marked: false,
    },
    {
      pid: 501,
      parent: 500,
      group: 501,
      started: 'Thu Jan  1 10:00:01 2026',
      threads: 1,
      residentKb: 61440,
      marked: true,
    },
  ]);
  expect(parsePs(table, undefined).map((row) => row.marked)).toEqual([false, false]);
});
