import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { aca, doors } from '../support/aca.ts';
import { leaksIn } from '../support/canary.ts';
import type { SeenRequest } from '../support/model-server/protocol.ts';
import { calls, type Step, says } from '../support/model-server/script.ts';
import { seededBytes } from '../support/seeded-bytes.ts';
import { serve } from '../support/serve.ts';
import { soak, sweep } from '../support/soak.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const bytes = seededBytes('secrets');

const pem = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
});
const bodyOf = (key: string) => key.split('\n').filter((line) => /^[A-Za-z\d+/]{40,}/.test(line));
const random = () => bytes(20).toString('hex');

async function play(space: Workspace, script: Step[], ...args: string[]) {
  const server = await serve(script);
  const { model, env } = doors['openai-chat'](server.url);
  const run = (...more: string[]) =>
    aca(space, ['-p', 'go', '--model', model, '--mode', 'accept-edits', ...args, ...more], { env });
  return { server, run, result: await run() };
}

const lastResult = ({ messages }: SeenRequest) =>
  messages.flatMap((message) => message.results.map(({ text }) => text)).at(-1) ?? '';
const placeholderIn = (request: SeenRequest) =>
  /\[secret:[\w.-]+:[0-9a-f]{8}\]/.exec(lastResult(request))?.[0] ?? 'none';

/** Lines of the key that were sent, and how often a tool answered at all. */
function keyLinesIn(requests: readonly SeenRequest[]) {
  const lines = Object.fromEntries(bodyOf(String(pem)).map((line, i) => [`line ${i}`, line.slice(2, -2)]));
  return leaksIn(requests, lines);
}

describe('a private key under an innocent name', () => {
  sweep<[string, Step]>([
    ['Read', calls(['Read', { file_path: 'notes.txt' }])],
    ['Read, some lines only', calls(['Read', { file_path: 'notes.txt', offset: 9, limit: 5 }])],
    ['Grep', calls(['Grep', { pattern: '.', path: 'notes.txt' }])],
    ['Grep over the folder', calls(['Grep', { pattern: '.' }])],
    ['cat', calls(['Bash', { command: 'cat notes.txt' }])],
    ['sed', calls(['Bash', { command: 'sed -n 9,12p notes.txt' }])],
    ['tail', calls(['Bash', { command: 'tail -n 6 ./notes.txt' }])],
    ['base64', calls(['Bash', { command: 'base64 notes.txt' }])],
  ])('%s: nothing of it is sent', async (_tool, call) => {
    const space = await workspace({ 'notes.txt': `My notes.\n\nabout the server\n\n${pem}\nThe end.\n` });
    const { server, result } = await play(space, [call, says('done')], '--allow', 'Bash');
    expect(result.code, result.stderr).toBe(0);
    expect(keyLinesIn(server.requests)).toEqual([]);
    expect(JSON.stringify(server.requests[1]?.body)).toContain('[secret:');
  });

  test('a resumed session does not send it either', soak, async () => {
    const space = await workspace({ 'notes.txt': `${pem}` });
    const script = [
      calls(['Read', { file_path: 'notes.txt', offset: 6, limit: 4 }]),
      says('one'),
      says('two'),
    ];
    const { server, run } = await play(space, script);
    await run('--continue');
    expect(server.requests.length).toBe(3);
    expect(keyLinesIn(server.requests)).toEqual([]);
  });
});

test('credential files: the structure is sent, the values are not, and an edit keeps them', async () => {
  const secret = { client: random(), refresh: random(), password: random() };
  const file = JSON.stringify(
    { client_id: 'app-1', client_secret: secret.client, refresh_token: secret.refresh, region: 'eu' },
    null,
    2,
  );
  const space = await workspace({
    'ci/deploy.json': file,
    'ci/values.yaml': `db:\n  password: ${secret.password}\n`,
  });
  const { server, result } = await play(
    space,
    [
      calls(['Read', { file_path: 'ci/deploy.json' }], ['Read', { file_path: 'ci/values.yaml' }]),
      calls(['Bash', { command: `grep -o '${secret.client.slice(0, 4)}.*' ci/deploy.json | cut -c1-40` }]),
      calls([
        'Edit',
        { file_path: 'ci/deploy.json', old_string: '"region": "eu"', new_string: '"region": "us"' },
      ]),
      says('done'),
    ],
    '--allow',
    'Bash',
  );
  expect(result.code, result.stderr).toBe(0);
  expect(
    leaksIn(server.requests.slice(0, 3), {
      refresh: secret.refresh,
      password: secret.password,
      client: secret.client,
    }),
  ).toEqual([]);
  const seen = JSON.stringify(server.requests[1]?.body);
  for (const shown of ['app-1', 'client_secret', 'refresh_token', 'region']) expect(seen).toContain(shown);
  expect(await readFile(path.join(space.root, 'ci/deploy.json'), 'utf8')).toBe(file.replace('"eu"', '"us"'));
});

test('a placeholder of this session is written as the value; one that is not known is refused', async () => {
  const value = random();
  const space = await workspace({ 'a.json': JSON.stringify({ api_key: value }), 'b.txt': 'before\n' });
  const unknown = '[secret:api_key:0badcafe]';
  const { server, result } = await play(space, [
    calls(['Read', { file_path: 'a.json' }]),
    (request) => calls(['Write', { file_path: 'c.env.ts', content: `key = '${placeholderIn(request)}'\n` }]),
    calls(['Write', { file_path: 'b.txt', content: `${unknown}\n` }]),
    calls(['Edit', { file_path: 'b.txt', old_string: 'before', new_string: unknown }]),
    calls(['Bash', { command: `echo ${unknown} > b.txt` }]),
    calls(['Write', { file_path: 'b.txt', content: `again ${unknown}\n` }]),
    says('done'),
  ]);
  expect(result.code, result.stderr).toBe(0);
  expect(await readFile(path.join(space.root, 'c.env.ts'), 'utf8')).toBe(`key = '${value}'\n`);
  expect(await readFile(path.join(space.root, 'b.txt'), 'utf8')).toBe('before\n');
  for (const request of server.requests.slice(3, 7))
    expect(lastResult(request)).toContain('unknown in this session');
});

test('a placeholder that stands in a file as text can be edited like any text', soak, async () => {
  const space = await workspace({ 'doc.md': 'It looks like [secret:TOKEN:7f3a91c2].\n' });
  const { result } = await play(space, [
    calls(['Read', { file_path: 'doc.md' }]),
    calls([
      'Edit',
      {
        file_path: 'doc.md',
        old_string: 'It looks like [secret:TOKEN:7f3a91c2]',
        new_string: 'Such as [secret:TOKEN:7f3a91c2]',
      },
    ]),
    says('done'),
  ]);
  expect(result.code, result.stderr).toBe(0);
  expect(await readFile(path.join(space.root, 'doc.md'), 'utf8')).toBe('Such as [secret:TOKEN:7f3a91c2].\n');
});

test('what git says of secret files is hidden', soak, async () => {
  const space = await workspace({ '.env': 'SERVICE_TOKEN=correct-horse-battery\n', 'a.txt': 'x\n' });
  const program = 'git';
  const git = (...words: string[]) =>
    execFileSync(program, ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...words], {
      cwd: space.root,
      stdio: 'ignore',
    });
  git('init', '--initial-branch=main');
  git('add', '--force', '.');
  git('commit', '--message=first');
  git('rm', '--quiet', '.env');
  git('commit', '--message=second');
  const commands = [
    'git log -p',
    'git show HEAD~1:.env',
    'git show HEAD~1',
    'git diff HEAD~1',
    'git grep -n TOKEN HEAD~1',
  ];
  const { server } = await play(
    space,
    [...commands.map((command) => calls(['Bash', { command }])), says('done')],
    '--allow',
    'Bash',
  );
  expect(server.requests.length).toBe(6);
  expect(leaksIn(server.requests, { env: 'correct-horse-battery' })).toEqual([]);
});

describe('sessions export', () => {
  sweep(['markdown', 'html', 'json'])('%s: placeholders, unless the values are asked for', async (format) => {
    const value = random();
    const space = await workspace({
      'a.json': JSON.stringify({ client_secret: value }),
      '.env': 'SERVICE_TOKEN=correct-horse-battery\n',
    });
    const script = [
      calls(['Read', { file_path: 'a.json' }], ['Bash', { command: `echo ${value}` }]),
      says('done: correct-horse-battery'),
    ];
    await play(space, script, '--allow', 'Bash');
    const list = JSON.parse((await aca(space, ['sessions', '--json'], {})).stdout) as { id: string }[];
    const id = list[0]?.id ?? '';
    const hidden = await aca(space, ['sessions', 'export', id, '--format', format], {});
    expect(hidden.code, hidden.stderr).toBe(0);
    expect(hidden.stdout).toContain('[secret:');
    expect(hidden.stdout).not.toContain(value);
    expect(hidden.stdout).not.toContain('correct-horse-battery');
    const whole = await aca(space, ['sessions', 'export', id, '--format', format, '--with-secrets'], {});
    expect(whole.stdout).toContain(value);
    await mkdir(path.join(space.root, 'out'), { recursive: true });
    await aca(space, ['sessions', 'export', id, '-o', 'out/talk.json'], {});
    expect(await readFile(path.join(space.root, 'out/talk.json'), 'utf8')).not.toContain(value);
  });
});
