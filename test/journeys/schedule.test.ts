import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { aca, doors } from '../support/aca.ts';
import { says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak, sweep } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

test('aca schedule prints a crontab line that runs the task where cron would run it', soak, async () => {
  const space = await workspace({ 'AGENTS.md': 'x' });
  const server = await serve([says('the news')]);
  const { model, env } = doors['openai-chat'](server.url);
  const log = path.join(space.root, 'my log.txt');
  const task = `say what's new: 100% "$HOME"`;
  const flags = ['--model', model, '--mode', 'read-only', '--allow', 'Bash(npm test)'];
  const { code, stdout, stderr } = await aca(
    space,
    ['schedule', 'every weekday at 9', '-p', task, '--log', log, ...flags],
    { env },
  );
  expect([code, stdout.slice(0, 12)]).toEqual([0, '0 9 * * 1-5 ']);
  expect(stderr).toMatch(/^Next runs \(.*\):\n( {2}\w+day.* 09:00\n){3}Output goes to/);
  const line = stdout.trimEnd().split(' ').slice(5).join(' ').replaceAll('\\%', '%');
  // Not synchronously: the model server runs in this process.
  await promisify(execFile)('/bin/sh', ['-c', line], { cwd: '/', env: { ...env, HOME: space.home } });
  expect(await readFile(log, 'utf8')).toContain('the news');
  expect(JSON.stringify(server.requests.at(-1))).toContain('100%');
});

sweep<[string[], string]>([
  [
    ['when the moon is full', '-p', 'x'],
    `Can't schedule "when the moon is full": this time is not understood.`,
  ],
  [['0 25 * * *', '-p', 'x'], `"25" is not a hour`],
  [['daily', '-p', 'x', '--no-such-flag'], "unknown option '--no-such-flag'"],
  [['daily'], "required option '-p, --print <task>' not specified"],
])('%j is refused', async (args, message) => {
  const { code, stdout, stderr } = await aca(await workspace(), ['schedule', ...args]);
  expect([code !== 0, stdout]).toEqual([true, '']);
  expect(stderr).toContain(message);
});
