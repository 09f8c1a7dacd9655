import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { AuditEntry } from '../../src/observability/audit/read-audit.ts';
import { aca, doors } from '../support/aca.ts';
import { calls, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
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

test('two programs share the log; for eyes: the latest, the refused, one session', soak, async () => {
  const space = await workspace({ 'a.txt': 'alpha' });
  expect((await aca(space, ['audit'])).stdout).toBe('The audit log is empty.\n');
  await Promise.all([work(space), work(space)]);
  const lines = async (...args: string[]) => (await aca(space, ['audit', ...args])).stdout.trim().split('\n');
  expect((await lines()).length).toBe(6);
  expect((await lines('--tail', '2')).length).toBe(2);
  expect(await lines('--session', 'nosuch')).toEqual(['No matching calls.']);
  const denied = await lines('--denied');
  expect(denied.length).toBe(2);
  expect(denied[0]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +\w{8} +refused +Bash +touch /);
  const [session = ''] = denied.map((line) => line.split(/ +/)[2]);
  expect((await lines('--session', session)).length).toBe(3);
  expect((await aca(space, ['audit', '--tail', 'x'])).code).toBe(2);
});

test(
  'auditLog false writes nothing; a log that cannot be written stops nothing and is told once',
  soak,
  async () => {
    const quiet = await workspace({ 'a.txt': 'alpha' });
    await mkdir(path.dirname(fileOf(quiet)));
    await writeFile(path.join(path.dirname(fileOf(quiet)), 'config.json'), '{"auditLog": false}');
    await work(quiet);
    await expect(stat(fileOf(quiet))).rejects.toThrow('ENOENT');

    const full = await workspace({ 'a.txt': 'alpha' });
    await mkdir(fileOf(full), { recursive: true });
    const { stdout, stderr } = await work(full);
    expect(JSON.parse(stdout)).toMatchObject({ result: 'done' });
    expect(stderr.match(/Cannot write the audit log/g)?.length).toBe(1);
  },
);

test(
  'the log is chained: verify finds what was changed, and what was cut off, by file and line',
  soak,
  async () => {
    const space = await workspace({ 'a.txt': 'alpha' });
    const verify = (...args: string[]) => aca(space, ['audit', 'verify', ...args]);
    expect(await verify()).toMatchObject({
      code: 0,
      stdout: 'The audit log has no verifiable entries yet.\n',
    });
    await Promise.all([work(space), work(space), work(space)]);

    const { code, stdout } = await verify();
    expect(code).toBe(0);
    const [, head = ''] =
      /^Intact: 15 entries, up to number 15\.\nHead: (15:[0-9a-f]{64})\n/.exec(stdout) ?? [];
    expect((await verify('--anchor', head)).code).toBe(0);
    expect((await verify('--anchor', `15:${'0'.repeat(64)}`)).code).toBe(1);
    expect((await verify('--anchor', 'x')).code).toBe(2);

    const text = await readFile(fileOf(space), 'utf8');
    const lines = text.split('\n');
    await writeFile(fileOf(space), text.replace('"verdict":"deny"', '"verdict":"allow"'));
    const denied = lines.findIndex((line) => line.includes('"verdict":"deny"'));
    expect(await verify()).toEqual({
      ...{ code: 1, stderr: '' },
      stdout: `BROKEN  ${fileOf(space)}:${denied + 1}: this entry was changed\n`,
    });
    await writeFile(fileOf(space), lines.toSpliced(4, 1).join('\n'));
    expect((await verify()).stdout).toContain(`${fileOf(space)}:5: 1 entry is missing before this one\n`);
    await writeFile(fileOf(space), `${lines.slice(0, 10).join('\n')}\n`);
    expect(await verify()).toMatchObject({
      code: 1,
      stdout: `BROKEN  ${fileOf(space)}: 5 entries are missing at the end\n`,
    });
    await writeFile(fileOf(space), text);
    expect((await verify()).code).toBe(0);
  },
);
