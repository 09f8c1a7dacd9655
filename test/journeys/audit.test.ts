import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { AuditEntry } from '../../src/observability/read-audit.ts';
import { aca, doors } from '../support/aca.ts';
import { calls, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const fileOf = ({ home }: Workspace) => path.join(home, '.ai-assistant/audit.jsonl');

async function work(space: Workspace, env: Record<string, string> = {}) {
  const server = await serve([
    calls(
      ['Read', { file_path: 'a.txt' }],
      ['Bash', { command: 'exit 7' }],
      ['Bash', { command: 'touch tok-en-can-ary-1' }],
    ),
    says('done'),
  ]);
  const door = doors['openai-chat'](server.url);
  const args = ['-p', 'go', '--model', door.model, '--allow', 'Bash(exit *)', '--output-format', 'json'];
  return aca(space, args, { env: { ...door.env, MY_TOKEN: 'tok-en-can-ary-1', ...env } });
}

test('[U15] every judged call, who decided, and how it ended; without the secrets', async () => {
  const space = await workspace({ 'a.txt': 'alpha' });
  await work(space);
  expect((await stat(fileOf(space))).mode & 0o777).toBe(0o600);
  expect(await readFile(fileOf(space), 'utf8')).not.toContain('tok-en-can-ary-1');

  const { code, stdout } = await aca(space, ['audit', '--json']);
  const entries = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as AuditEntry);
  expect(code).toBe(0);
  expect(entries).toMatchObject([
    {
      tool: 'Read',
      verdict: 'allow',
      accesses: [{ kind: 'read', target: 'a.txt' }],
      outcome: { success: true },
    },
    {
      tool: 'Bash',
      verdict: 'allow',
      accesses: [{ kind: 'execute', target: 'exit 7' }],
      outcome: { success: false, exitCode: 7 },
    },
    {
      tool: 'Bash',
      verdict: 'deny',
      accesses: [{ target: expect.stringMatching(/^touch \[secret:MY_TOKEN:[0-9a-f]{8}\]$/) }],
    },
  ]);
  expect(entries.every(({ cwd, by, because }) => cwd === space.root && by !== '' && because !== '')).toBe(
    true,
  );
  expect(entries[2]).not.toHaveProperty('outcome');
});

test('two programs share the log; for eyes: the latest, the refused, one session', async () => {
  const space = await workspace({ 'a.txt': 'alpha' });
  expect((await aca(space, ['audit'])).stdout).toBe('Nothing was judged yet.\n');
  await Promise.all([work(space), work(space)]);
  const lines = async (...args: string[]) => (await aca(space, ['audit', ...args])).stdout.trim().split('\n');
  expect((await lines()).length).toBe(6);
  expect((await lines('--tail', '2')).length).toBe(2);
  const denied = await lines('--denied');
  expect(denied.length).toBe(2);
  expect(denied[0]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +\w{8} +refused +Bash +touch /);
  const [session = ''] = denied.map((line) => line.split(/ +/)[2]);
  expect((await lines('--session', session)).length).toBe(3);
  expect((await aca(space, ['audit', '--tail', 'x'])).code).toBe(2);
});

test('auditLog false writes nothing; a log that cannot be written stops nothing and is told once', async () => {
  const quiet = await workspace({ 'a.txt': 'alpha' });
  await mkdir(path.dirname(fileOf(quiet)));
  await writeFile(path.join(path.dirname(fileOf(quiet)), 'config.json'), '{"auditLog": false}');
  await work(quiet);
  await expect(stat(fileOf(quiet))).rejects.toThrow('ENOENT');

  const full = await workspace({ 'a.txt': 'alpha' });
  await mkdir(fileOf(full), { recursive: true });
  const { stdout, stderr } = await work(full);
  expect(JSON.parse(stdout)).toMatchObject({ result: 'done' });
  expect(stderr.match(/The audit log cannot be written/g)?.length).toBe(1);
});
