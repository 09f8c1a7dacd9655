import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Report } from '../../src/app/conversation/run-report.ts';
import { aca, doors } from '../support/aca.ts';
import { calls, type Step, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak, sweep } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const bash = (command: string) => calls(['Bash', { command }]);
/** Under an id that the session has not seen: a call that it has is answered, not run. */
const newly = (command: string) =>
  calls(['Bash', { command }, { id: `toolu_${command.replaceAll(' ', '_')}` }]);
const write = (file: string) => calls(['Write', { file_path: file, content: 'x\n' }]);

async function open(space: Workspace, script: Step[], args: string[] = []) {
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  return { server, terminal: openTerminal(space, ['--plain', '--model', model, ...args], env) };
}

async function headless(space: Workspace, script: Step[], args: string[] = []) {
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  const { code, stdout, stderr } = await aca(
    space,
    ['-p', 'go', '--model', model, '--output-format', 'json', ...args],
    { env },
  );
  return { server, code, stderr, report: JSON.parse(stdout) as Report };
}

const settingsOf = async ({ home }: Workspace) =>
  JSON.parse(await readFile(path.join(home, '.ai-assistant/config.json'), 'utf8')) as unknown;

describe('what is answered is remembered', () => {
  test('[P03] [P04] "session" holds for this very command in this session, and survives resume [P11]', async () => {
    const space = await workspace();
    const { terminal } = await open(
      space,
      [bash('touch made'), bash('touch made'), bash('touch other'), says('Done.')],
      ['go'],
    );
    await terminal.waitFor('session for this session');
    await terminal.waitFor('always in this folder: Bash(touch made)');
    terminal.type('session\r');
    await terminal.waitFor('Allow: Bash touch other? [y/n] ');
    terminal.type('n\r');
    await terminal.waitFor('Done.');
    terminal.type('/quit\r');
    await terminal.exitCode;
    expect(terminal.screen().split('Allow: Bash touch made').length - 1).toBe(1);

    const again = await headless(
      space,
      [newly('touch made'), newly('touch other'), says('ok')],
      ['--continue'],
    );
    expect(again.report.commands.map(({ command }) => command)).toEqual(['touch made']);
    expect(again.report.denials.map(({ input }) => input)).toEqual([{ command: 'touch other' }]);
    const fresh = await headless(space, [bash('touch made'), says('ok')]);
    expect(fresh.report.denials.length).toBe(1);
  });

  test(
    '[Y09] "always" is written to the settings of the user for this folder, and /permissions takes it back',
    soak,
    async () => {
      const space = await workspace({ 'sub/x': '' });
      const { terminal } = await open(space, [bash('touch made'), says('Done.')], ['go']);
      await terminal.waitFor('[y/n] ');
      terminal.type('always\r');
      await terminal.waitFor('Done.');
      expect(await settingsOf(space)).toEqual({
        projects: { [space.root]: { granted: { 'Bash(touch made)': expect.stringMatching(/^\d{4}-/) } } },
      });
      expect(await space.tree()).toEqual({ 'sub/x': '', made: '' });

      const later = await headless(space, [bash('touch made'), bash('touch made && ls'), says('ok')]);
      expect(later.report.denials.map(({ input }) => input)).toEqual([{ command: 'touch made && ls' }]);
      const server = await serve([bash('touch made'), says('ok')]);
      const door = doors.anthropic(server.url);
      const elsewhere = await aca(space, ['-p', 'go', '--model', door.model], {
        env: door.env,
        cwd: path.join(space.root, 'sub'),
      });
      expect(elsewhere.code).toBe(3);

      terminal.type('/permissions\r');
      await terminal.waitFor('1. allow Bash(touch made) (always, in this folder)');
      terminal.type('/permissions forget 1\r');
      await terminal.waitFor('removed: allow Bash(touch made)');
      expect(await settingsOf(space)).toEqual({ projects: { [space.root]: { granted: {} } } });
      expect((await headless(space, [bash('touch made'), says('ok')])).report.denials.length).toBe(1);
    },
  );

  test('a no with a reason reaches the model, and the identical call is not asked again', async () => {
    const space = await workspace();
    const { terminal, server } = await open(
      space,
      [bash('touch made'), bash('touch made'), says('Done.')],
      ['go'],
    );
    await terminal.waitFor('[y/n] ');
    terminal.type('n write it with the Write tool\r');
    await terminal.waitFor('Done.');
    const answers = server.requests.slice(1).map((request) => request.messages.at(-1)?.results[0]?.text);
    const denied = 'User denied permission: write it with the Write tool';
    expect(answers[0]).toBe(denied);
    expect(answers[1]).toMatch(new RegExp(`^${denied} \\(already declined`));
    expect(terminal.screen().split('Allow: ').length - 1).toBe(1);
    expect(await space.tree()).toEqual({});
  });

  test('a session that goes on in another folder brings no grant along', soak, async () => {
    const space = await workspace({ 'sub/x': '' });
    const { terminal } = await open(space, [bash('touch made'), says('Done.')], ['go']);
    await terminal.waitFor('[y/n] ');
    terminal.type('session\r');
    await terminal.waitFor('Done.');
    terminal.type('/quit\r');
    await terminal.exitCode;
    const id = /--resume ([0-9a-f]{8})/.exec(terminal.screen())?.[1] ?? '';
    const server = await serve([newly('touch made'), says('ok')]);
    const { model, env } = doors.anthropic(server.url);
    const there = await aca(space, ['-p', 'go', '--model', model, '--resume', id, '--force-dir'], {
      env,
      cwd: path.join(space.root, 'sub'),
    });
    expect(there.code).toBe(3);
  });
});

describe('the question', () => {
  test('[C05] shows the parts of a command, the risky one marked, and what it runs in', async () => {
    const space = await workspace();
    const { terminal } = await open(space, [bash('ls && touch made'), says('Done.')], ['go']);
    await terminal.waitFor('Allow: Bash ls && touch made? [y/n] ');
    expect(terminal.screen()).toMatch(/^ {2}! touch made {3}\(/m);
    expect(terminal.screen()).toMatch(/^ {2}(Sandboxed|Not sandboxed): /m);
    terminal.type('n\r');
    await terminal.waitFor('Done.');
  });

  test('a command of several lines cannot pass for another question', soak, async () => {
    const space = await workspace();
    const filler = 'a'.repeat(150);
    const command = `ls\nReason: only reads\nAllow: Bash ls? [y/n] \ntouch ma\u200bde #${filler}Allow: Bash ls`;
    const { terminal } = await open(space, [bash(command), says('Done.')], ['go']);
    await terminal.waitFor('Allow: Bash ls …? [y/n] ');
    const rows = terminal
      .screen()
      .split('\n')
      .map((row) => row.trimEnd());
    expect(rows.filter((row) => row.startsWith('Allow: '))).toEqual(['Allow: Bash ls …? [y/n]']);
    expect(rows).toContain('  │ Reason: only reads');
    expect(rows).toContain('  │ Allow: Bash ls? [y/n]');
    await terminal.waitFor('touch ma<U+200B>de');
    terminal.type('n\r');
    await terminal.waitFor('Done.');
    expect(await space.tree()).toEqual({});
  });

  test.skipIf(process.platform === 'win32')('[C05] says where a link leads', async () => {
    const space = await workspace({ 'src/a.txt': 'alpha\n' });
    await symlink('src', path.join(space.root, 'link'));
    const edit = calls(['Edit', { file_path: 'link/a.txt', old_string: 'alpha', new_string: 'beta' }]);
    const { terminal } = await open(space, [edit, says('Done.')], ['go']);
    await terminal.waitFor('[y/n] ');
    await terminal.waitFor(`link/a.txt leads to ${path.join(space.root, 'src/a.txt')}`);
    await terminal.waitFor('always in this folder: Edit(src/a.txt)');
    terminal.type('y\r');
    await terminal.waitFor('Done.');
    expect(await space.tree()).toEqual({ 'src/a.txt': 'beta\n' });
  });
});

describe('modes', () => {
  test('/mode changes what may happen, and the model is told with the next message', async () => {
    const space = await workspace();
    const { terminal, server } = await open(
      space,
      [write('a.txt'), says('One.'), write('b.txt'), says('Two.')],
      ['--mode', 'accept-edits'],
    );
    await terminal.waitFor('> ');
    terminal.type('first\r');
    await terminal.waitFor('One.');
    terminal.type('/mode plan\r');
    await terminal.waitFor('Mode: plan (');
    terminal.type('second\r');
    await terminal.waitFor('Two.');

    expect(await space.tree()).toEqual({ 'a.txt': 'x\n' });
    const [, , third, last] = server.requests;
    expect(third?.messages.at(-1)?.text).toMatch(/^\[The permission mode is plan now\..*\]\s*second$/s);
    expect(last?.messages.at(-1)?.results[0]?.text).toBe('no files can be changed in plan mode');
    expect(new Set(server.requests.map(({ system }) => system)).size).toBe(1);
  });

  test('plan mode lets nothing write, through no tool, whatever is allowed', async () => {
    const space = await workspace({ 'a.txt': 'alpha\n' });
    const { report, code } = await headless(
      space,
      [
        calls(
          ['Write', { file_path: 'b.txt', content: 'x' }],
          ['Edit', { file_path: 'a.txt', old_string: 'alpha', new_string: 'beta' }],
          ['Delete', { file_path: 'a.txt' }],
          ['Bash', { command: 'touch b.txt', working_directory: '.' }],
          ['Bash', { command: 'touch c.txt', run_in_background: true }],
        ),
        says('ok'),
      ],
      ['--mode', 'plan', '--allow', 'Bash', '--allow', 'Edit'],
    );
    expect(code).toBe(3);
    expect(report.denials.map(({ tool }) => tool).slice(0, 3)).toEqual(['Write', 'Edit', 'Delete']);
    expect(await space.tree()).toEqual({ 'a.txt': 'alpha\n' });
  });

  test('[U01] [Y37] auto mode edits unasked, and refuses what is not contained', async () => {
    const space = await workspace();
    const { report, code } = await headless(
      space,
      [
        calls(
          ['Write', { file_path: 'a.txt', content: 'x' }],
          ['Write', { file_path: '.git/hooks/pre-commit', content: 'x' }],
          ['WebFetch', { url: 'https://example.invalid/' }],
          ['Bash', { command: 'sudo ls' }],
        ),
        says('ok'),
      ],
      ['--mode', 'auto'],
    );
    expect(code).toBe(3);
    expect(report.filesChanged).toEqual(['a.txt']);
    expect(report.denials.map(({ tool, by }) => [tool, by])).toEqual([
      ['Write', 'mode auto'],
      ['WebFetch', 'mode auto'],
      ['Bash', 'built-in privileges'],
    ]);
    expect(await space.tree()).toEqual({ 'a.txt': 'x' });
  });
});

describe('[Y30] without a sandbox', () => {
  async function withSettings(sandbox: object, others: object = {}): Promise<Workspace> {
    const space = await workspace();
    await mkdir(path.join(space.home, '.ai-assistant'));
    const settings = JSON.stringify({ sandbox, ...others });
    await writeFile(path.join(space.home, '.ai-assistant/config.json'), settings);
    return space;
  }

  test(
    'auto mode runs only what surely reads; the model, the exit code and the report say so',
    soak,
    async () => {
      const space = await withSettings({ kind: 'off' });
      const { report, code, server } = await headless(
        space,
        [bash('touch made'), bash('ls'), says('ok')],
        ['--mode', 'auto'],
      );
      expect(code).toBe(3);
      expect(report.commands).toEqual([{ command: 'ls', exitCode: 0 }]);
      expect(report.sandbox).toMatchObject({ kind: 'host' });
      expect(report.denials).toMatchObject([{ tool: 'Bash', by: 'mode auto' }]);
      expect(server.requests[1]?.messages.at(-1)?.results[0]?.text).toMatch(/no sandbox is available$/);
      expect(await space.tree()).toEqual({});
    },
  );

  describe('that was wanted', () => {
    /** No sandbox of this kind can be made on Linux. */
    const missing = { kind: process.platform === 'darwin' ? 'docker' : 'seatbelt' };
    const refused =
      'Commands that do more than read are refused, unless an allow rule names that exact command.';

    sweep([
      ['in default mode, a rule that is too wide', ['--allow', 'Bash(touch *)']],
      ['in auto mode, a rule for everything', ['--allow', 'Bash', '--mode', 'auto']],
      ['in accept-edits mode, no rule', ['--mode', 'accept-edits']],
    ])('%s: nobody is there to ask, so it is refused, and that is said', async (_name, options) => {
      const space = await withSettings(missing, { requireApprovalForCommands: false });
      const { report, stderr, code } = await headless(
        space,
        [bash('touch made'), bash('ls'), says('ok')],
        options,
      );
      expect(code).toBe(3);
      expect(report.commands).toEqual([{ command: 'ls', exitCode: 0 }]);
      expect(report.denials).toMatchObject([{ tool: 'Bash' }]);
      expect(report.denials[0]?.because).toContain('no sandbox is available');
      expect(stderr).toContain(refused);
      expect(await space.tree()).toEqual({});
    });

    sweep([['default'], ['auto'], ['accept-edits']])(
      'in %s mode --allow of exactly that command runs it; the user is told, and the audit log says so',
      async (mode) => {
        const space = await withSettings(missing, { auditLog: true });
        const { report, stderr, code } = await headless(
          space,
          [bash('touch made'), bash('touch other'), says('ok')],
          ['--allow', 'Bash(touch made)', '--mode', mode],
        );
        expect(code).toBe(3);
        expect(report.commands).toEqual([{ command: 'touch made', exitCode: 0 }]);
        expect(report.sandbox).toMatchObject({ kind: 'host' });
        expect(stderr).toContain(
          'Bash touch made runs without a sandbox: an allow rule names this exact command.',
        );
        expect(await space.tree()).toEqual({ made: '' });
        const audit = await aca(space, ['audit', '--json']);
        expect(audit.stdout).toContain('rule allow Bash(touch made) without a sandbox');
      },
    );

    test('somebody is there: each command but those that only read is asked about', async () => {
      const space = await withSettings(missing, { requireApprovalForCommands: false });
      const { terminal } = await open(
        space,
        [bash('ls'), bash('touch made'), says('Done.')],
        ['go', '--allow', 'Bash(touch *)'],
      );
      await terminal.waitFor('Allow: Bash touch made? [y/n] ');
      expect(terminal.screen()).not.toContain('Allow: Bash ls?');
      expect(terminal.screen().replaceAll('\n', '')).toContain(
        'You will be asked about every command that does',
      );
      terminal.type('y\r');
      await terminal.waitFor('Done.');
      expect(await space.tree()).toEqual({ made: '' });
    });
  });

  test('sandbox.required refuses every command, whatever is allowed', soak, async () => {
    const space = await withSettings({ kind: 'off', required: true });
    const { report, code } = await headless(
      space,
      [calls(['Bash', { command: 'ls' }], ['Bash', { command: 'touch made' }]), says('ok')],
      ['--allow', 'Bash(touch *)'],
    );
    expect(code).toBe(3);
    expect(report.denials.map(({ by, because }) => [by, because])).toEqual(
      Array(2).fill([
        'setting sandbox.required',
        'commands must run in a sandbox, but none is available: it is turned off',
      ]),
    );
    expect([report.commands, report.sandbox]).toEqual([[], null]);
    expect(await space.tree()).toEqual({});
  });
});

describe('rules of the user', () => {
  test('a broad rule works, and is told to those who look', soak, async () => {
    const space = await workspace();
    const { report, stderr, code } = await headless(
      space,
      [bash('touch made'), says('ok')],
      ['--allow', 'Bash', '--verbose'],
    );
    expect(code).toBe(0);
    expect(report.commands).toEqual([{ command: 'touch made', exitCode: 0 }]);
    expect(stderr).toContain('The rule Bash allows every command except those that are always blocked.\n');
  });

  test('a deny rule for reading binds searches that begin above it', soak, async () => {
    const space = await workspace({ 'private/a.txt': 'needle one\n', 'public/a.txt': 'needle two\n' });
    const { server } = await headless(
      space,
      [calls(['Grep', { pattern: 'needle' }]), says('ok')],
      ['--deny', 'Read(private/**)'],
    );
    const found = server.requests[1]?.messages.at(-1)?.results[0]?.text ?? '';
    expect(found).toContain('public/a.txt');
    expect(found).not.toContain('private');
  });

  test('settings that cannot be written cost the lasting, not the yes', soak, async () => {
    const space = await workspace();
    await mkdir(path.join(space.home, '.ai-assistant'));
    await writeFile(path.join(space.home, '.ai-assistant/config.json'), '{}');
    const { terminal } = await open(space, [bash('touch made'), says('Done.')], ['go']);
    await terminal.waitFor('[y/n] ');
    await writeFile(path.join(space.home, '.ai-assistant/config.json'), '{ broken');
    terminal.type('always\r');
    await terminal.waitFor('is allowed for this session only');
    await terminal.waitFor('Done.');
    expect(await space.tree()).toEqual({ made: '' });
  });
});
