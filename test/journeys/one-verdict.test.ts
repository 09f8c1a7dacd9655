import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Report } from '../../src/app/conversation/run-report.ts';
import { filesBelow } from '../../src/lib/files/files-below.ts';
import type { AuditEntry } from '../../src/observability/audit/read-audit.ts';
import { aca, doors, parseStream } from '../support/aca.ts';
import { flagsIn } from '../support/allow-flags.ts';
import { type CallWords, calls, type Step, says } from '../support/model-server/script.ts';
import { type Kind, outsideCalls, placeWithOutside } from '../support/outside.ts';
import { serve } from '../support/serve.ts';
import { soak, sweep } from '../support/soak.ts';
import { start, task } from '../support/subagents.ts';
import { openTerminal } from '../support/terminal.ts';
import type { Workspace } from '../support/workspace.ts';

async function headless(space: Workspace, script: Step[], args: string[] = []) {
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  const { code, stdout, stderr } = await aca(space, ['-p', 'go', '--model', model, ...args], { env });
  const answers = server.requests.at(-1)?.messages.at(-1)?.results ?? [];
  return { code, stdout, stderr, answers };
}

async function snapshot(folder: string): Promise<string[]> {
  return Promise.all(
    filesBelow(folder)
      .sort()
      .map(async (file) => `${file} ${await readFile(file, 'utf8')}`),
  );
}

async function auditOf(space: Workspace): Promise<AuditEntry[]> {
  const { stdout } = await aca(space, ['audit', '--json', '--tail', '1000']);
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as AuditEntry);
}

/** What is said of each call in turn, wherever it is said. */
async function verdicts(space: Workspace, stdout: string) {
  const { events, report } = parseStream(stdout);
  const judged = events.filter((event) => event.type === 'judged');
  const audit = await auditOf(space);
  return {
    events: judged.map(({ tool, verdict }) => [tool, verdict]),
    audit: audit.slice(-judged.length).map(({ tool, verdict }) => [tool, verdict]),
    denied: judged.filter(({ verdict }) => verdict === 'deny').map(({ tool, because }) => [tool, because]),
    denials: report.denials.map(({ tool, because }) => [tool, because]),
  };
}

const allowing = (rules: readonly string[]) => rules.flatMap((rule) => ['--allow', rule]);

/** What the calls of the table come to on the disk. */
async function expectDone(out: string, answers: readonly { text: string }[]): Promise<void> {
  const texts = answers.map(({ text }) => text);
  expect(texts.slice(0, 2)).toEqual(['1\talpha', '1\talpha']);
  expect(texts.slice(3, 5)).toEqual(['1\talpha', '1\tneedle']);
  expect(texts.slice(13, 15)).toEqual(['alpha\n', 'needle\n']);
  expect(texts[15]).toContain('book.ipynb');
  expect(await readFile(path.join(out, 'new/made.txt'), 'utf8')).toBe('made\n');
  expect(await readFile(path.join(out, 'edit.txt'), 'utf8')).toBe('beta\n');
  expect(await readFile(path.join(out, 'multi.txt'), 'utf8')).toBe('beta\n');
  expect(existsSync(path.join(out, 'gone.txt'))).toBe(false);
}

describe('a path outside the project, with nobody to ask', () => {
  test(
    'is refused by every tool, and the events, the result, the audit log and the exit code agree',
    soak,
    async () => {
      const space = await placeWithOutside();
      const table = outsideCalls(space.out);
      const script = [calls(...table.map(([, words]) => words)), says('ok')];
      const before = await snapshot(space.out);

      const { code, stdout, stderr, answers } = await headless(space, script, [
        '--output-format',
        'stream-json',
      ]);

      expect(code).toBe(3);
      const said = await verdicts(space, stdout);
      expect(said.events).toEqual(table.map(([, [tool]]) => [tool, 'deny']));
      expect(said.audit).toEqual(said.events);
      expect(said.denials).toEqual(said.denied);
      // The model cannot pass flags.
      for (const { text } of answers)
        expect(text).toMatch(
          /^Refused: it needs approval \(.* is outside the working directory\), and nobody/,
        );
      expect(stderr.match(/^refused: /gm)?.length).toBe(table.length);
      expect(await snapshot(space.out)).toEqual(before);
      const kinds = (await auditOf(space)).map(({ accesses }) => accesses[0]?.kind);
      expect(kinds).toEqual(table.map(([kind]) => kind));
    },
  );

  test('opens with the very rules that the refusals name', soak, async () => {
    const space = await placeWithOutside();
    const table = outsideCalls(space.out);
    const script = [calls(...table.map(([, words]) => words)), says('ok')];
    const refused = await headless(space, script, ['--output-format', 'json']);
    const rules = (JSON.parse(refused.stdout) as Report).denials.map(({ because }) => flagsIn(because));
    expect(rules.every((named) => named.length > 0)).toBe(true);

    const { code, stdout, answers } = await headless(space, script, [
      ...['--output-format', 'stream-json'],
      ...allowing(rules.flat()),
    ]);

    const said = await verdicts(space, stdout);
    expect(said.denials).toEqual([]);
    expect(said.audit).toEqual(table.map(([, [tool]]) => [tool, 'allow']));
    expect(code).toBe(0);
    await expectDone(space.out, answers);
  });

  sweep(['flags', 'settings'])(
    'opens with rules for the folder in the %s, for read-only commands, too',
    async (where) => {
      const space = await placeWithOutside();
      const rules = [`Read(${space.out}/**)`, `Edit(${space.out}/**)`];
      if (where === 'settings') {
        await mkdir(path.join(space.home, '.ai-assistant'));
        const settings = { permissions: { allow: rules } };
        await writeFile(path.join(space.home, '.ai-assistant/config.json'), JSON.stringify(settings));
      }
      const table = outsideCalls(space.out);
      const script = [calls(...table.map(([, words]) => words)), says('ok')];

      const { code, answers } = await headless(space, script, where === 'flags' ? allowing(rules) : []);

      expect(code).toBe(0);
      await expectDone(space.out, answers);
    },
  );

  test('a rule for reading opens nothing for writing, and no sibling', soak, async () => {
    const space = await placeWithOutside();
    const { code, stdout } = await headless(
      space,
      [
        calls(
          ['Edit', { file_path: path.join(space.out, 'read.txt'), old_string: 'alpha', new_string: 'beta' }],
          ['Read', { file_path: path.join(space.out, 'edit.txt') }],
          ['Read', { file_path: path.join(space.out, 'read.txt') }],
          ['Read', { file_path: `${space.out}/read.txt/../edit.txt` }],
        ),
        says('ok'),
      ],
      ['--output-format', 'stream-json', '--allow', `Read(${space.out}/read.txt)`],
    );
    expect(code).toBe(3);
    expect((await verdicts(space, stdout)).events.map(([, verdict]) => verdict)).toEqual([
      ...['deny', 'deny', 'allow', 'deny'],
    ]);
  });
});

describe('what can never be opened', () => {
  test('is refused at once, says why, and names a write a write', soak, async () => {
    const space = await placeWithOutside();
    await mkdir(path.join(space.home, '.ssh'));
    await writeFile(path.join(space.home, '.ssh/id_rsa'), 'canary');
    await symlink('.env', path.join(space.root, 'notes.txt'));
    const dataRoot = path.join(space.home, '.ai-assistant');
    await mkdir(dataRoot);
    const targets = [
      '.env',
      'notes.txt',
      '~/.ssh/id_rsa',
      path.join(space.home, '.ssh/id_rsa'),
      path.join(dataRoot, 'config.json'),
      '/dev/zero',
      '/proc/self/environ',
    ];
    const table = targets.flatMap((file): [Kind, string, CallWords][] => [
      ['read', file, ['Read', { file_path: file }]],
      ['read', file, ['Grep', { pattern: 'a', path: file }]],
      ['write', file, ['Write', { file_path: file, content: 'x' }]],
      ['write', file, ['Edit', { file_path: file, old_string: 'a', new_string: 'b' }]],
      ['write', file, ['MultiEdit', { edits: [{ file_path: file, old_string: 'a', new_string: 'b' }] }]],
    ]);
    const server = await serve([calls(...table.map(([, , words]) => words)), says('Done.')]);
    const { model, env } = doors.anthropic(server.url);
    // Rules that name them, and a person to ask: neither opens them.
    const rules = targets
      .filter((file) => file.startsWith('/'))
      .flatMap((file) => [`Read(${file})`, `Edit(${file})`]);
    const terminal = openTerminal(
      space,
      ['--plain', '--model', model, ...allowing(['Read', 'Edit', ...rules]), 'go'],
      env,
    );
    await terminal.waitFor('Done.');
    terminal.type('/quit\r');
    await terminal.exitCode;

    expect(terminal.screen()).not.toContain('[y/n]');
    const answers =
      server.requests
        .at(-1)
        ?.messages.at(-1)
        ?.results.map(({ text }) => text) ?? [];
    for (const [i, [kind, file]] of table.entries()) {
      const shown = file.replace(/^~/, space.home);
      expect(answers[i]).toMatch(/^Permission denied: .+ \(.+\)$/);
      expect(answers[i]?.startsWith(`Permission denied: ${kind} ${shown} (`)).toBe(true);
    }
    const audit = await auditOf(space);
    expect(audit.map(({ verdict, by }) => [verdict, by])).toEqual(table.map(() => ['deny', 'path guard']));
    expect(await readFile(path.join(space.home, '.ssh/id_rsa'), 'utf8')).toBe('canary');
    expect(await readFile(path.join(space.root, '.env'), 'utf8')).toBe('TOKEN=canary\n');
  });

  test('no hint is given for it, and the exit code tells', async () => {
    const space = await placeWithOutside();
    const { code, stdout } = await headless(
      space,
      [calls(['Read', { file_path: '.env' }], ['WebFetch', { url: 'http://127.0.0.1:1/' }]), says('ok')],
      ['--output-format', 'json'],
    );
    const { denials } = JSON.parse(stdout) as Report;
    expect(code).toBe(3);
    expect(denials.map(({ tool, by }) => [tool, by])).toEqual([
      ['Read', 'path guard'],
      ['WebFetch', 'network guard'],
    ]);
    expect(denials.map(({ because }) => flagsIn(because))).toEqual([[], []]);
  });
});

describe('a yes in a terminal', () => {
  async function plain(space: Workspace, script: Step[], args: string[] = []) {
    const server = await serve(script);
    const { model, env } = doors.anthropic(server.url);
    return { server, terminal: openTerminal(space, ['--plain', '--model', model, ...args], env) };
  }
  const lastAnswers = (server: Awaited<ReturnType<typeof serve>>) =>
    server.requests.at(-1)?.messages.at(-1)?.results ?? [];

  test('opens what was asked about, once, for every tool; the change is shown before', soak, async () => {
    const space = await placeWithOutside();
    const table = outsideCalls(space.out);
    const { terminal, server } = await plain(
      space,
      [calls(...table.map(([, words]) => words)), says('Done.')],
      ['go'],
    );
    for (let asked = 1; asked <= table.length; asked++) {
      await terminal.waitFor('? [y/n]', asked);
      terminal.type('y\r');
    }
    await terminal.waitFor('Done.');
    await expectDone(space.out, lastAnswers(server));
    await terminal.waitFor('-alpha');
    expect((await auditOf(space)).map(({ verdict, by }) => [verdict, by])).toEqual(
      table.map(() => ['allow', 'user']),
    );
    terminal.type('/undo\r');
    await terminal.waitFor('[y/n]', table.length + 1);
    terminal.type('y\r');
    await terminal.waitFor('edit.txt', 5);
    await expect
      .poll(() => readFile(path.join(space.out, 'edit.txt'), 'utf8'), { timeout: 20_000 })
      .toBe('alpha\n');
  });

  test('"session" opens the folder for reading in this session, also when it is resumed', soak, async () => {
    const space = await placeWithOutside();
    const read = (name: string, id: string): CallWords => [
      'Read',
      { file_path: path.join(space.out, name) },
      { id: `toolu_${id}` },
    ];
    const { terminal } = await plain(
      space,
      [calls(read('read.txt', '1')), calls(read('deep/found.txt', '2')), says('Done.')],
      ['go'],
    );
    await terminal.waitFor('? [y/n]');
    await terminal.waitFor(`always in this folder: Read(${space.out}/**)`);
    terminal.type('session\r');
    await terminal.waitFor('Done.');
    terminal.type('/quit\r');
    await terminal.exitCode;
    expect(terminal.screen().split('? [y/n]').length - 1).toBe(1);

    const again = [
      calls(
        read('edit.txt', '3'),
        ['Bash', { command: `cat ${space.out}/edit.txt` }, { id: 'toolu_4' }],
        ['Write', { file_path: `${space.out}/new.txt`, content: 'x' }, { id: 'toolu_5' }],
      ),
      says('ok'),
    ];
    const resumed = await headless(space, again, ['--continue', '--output-format', 'stream-json']);
    expect((await verdicts(space, resumed.stdout)).events).toEqual([
      ['Read', 'allow'],
      ['Bash', 'allow'],
      ['Write', 'deny'],
    ]);
    const fresh = await headless(space, again, ['--output-format', 'json']);
    expect((JSON.parse(fresh.stdout) as Report).denials.length).toBe(3);
  });

  test('"always" opens it in every later session of the folder', soak, async () => {
    const space = await placeWithOutside();
    const write = calls(['Write', { file_path: path.join(space.out, 'new.txt'), content: 'x' }]);
    const { terminal } = await plain(space, [write, says('Done.')], ['go']);
    await terminal.waitFor('? [y/n]');
    terminal.type('always\r');
    await terminal.waitFor('Done.');
    const later = await headless(space, [
      calls(['Edit', { file_path: path.join(space.out, 'new.txt'), old_string: 'x', new_string: 'y' }]),
      says('ok'),
    ]);
    expect(later.code).toBe(0);
    expect(await readFile(path.join(space.out, 'new.txt'), 'utf8')).toBe('y');
  });

  test('does not reach what a link was turned to meanwhile; that refusal is on record, too', async () => {
    const space = await placeWithOutside();
    const { terminal, server } = await plain(
      space,
      [
        calls(
          ['Edit', { file_path: 'link.txt', old_string: 'alpha', new_string: 'beta' }],
          ['Read', { file_path: 'a.txt' }],
        ),
        says('Done.'),
      ],
      ['go'],
    );
    await terminal.waitFor('? [y/n]');
    await symlink(path.join(space.out, 'edit.txt'), path.join(space.root, 'other'));
    await rename(path.join(space.root, 'other'), path.join(space.root, 'link.txt'));
    terminal.type('y\r');
    await terminal.waitFor('Done.');

    await terminal.waitFor('refused: Permission denied: write link.txt');
    expect(lastAnswers(server)[0]?.text).toMatch(/^Permission denied: write link\.txt \(it resolves to /);
    expect(await readFile(path.join(space.out, 'edit.txt'), 'utf8')).toBe('alpha\n');
    const audit = await auditOf(space);
    expect(audit.map(({ tool, verdict, by }) => [tool, verdict, by])).toEqual([
      ['Edit', 'deny', 'path guard'],
      ['Read', 'allow', 'default'],
    ]);
  });
});

test(
  'a subagent has the same verdicts and the same openings as the agent that started it',
  soak,
  async () => {
    const space = await placeWithOutside();
    const script = {
      go: [calls(task('look', 'LOOK')), says('ok')],
      LOOK: [
        calls(
          ['Read', { file_path: path.join(space.out, 'read.txt') }],
          ['Edit', { file_path: path.join(space.out, 'edit.txt'), old_string: 'alpha', new_string: 'beta' }],
          ['Read', { file_path: '.env' }],
        ),
        says('done'),
      ],
    };
    const run = async (args: string[]) => {
      const { code, stdout } = await (await start(space, script)).run([
        ...['-p', 'go', '--output-format', 'json'],
        ...args,
      ]);
      return { code, denials: (JSON.parse(stdout) as Report).denials };
    };

    const refused = await run([]);
    expect(refused.code).toBe(3);
    expect(refused.denials.map(({ tool }) => tool)).toEqual(['Read', 'Edit', 'Read']);
    const rules = refused.denials.flatMap(({ because }) => flagsIn(because));
    const opened = await run(allowing(rules));
    expect(opened.denials.map(({ tool, by }) => [tool, by])).toEqual([['Read', 'path guard']]);
    expect(await readFile(path.join(space.out, 'edit.txt'), 'utf8')).toBe('beta\n');
    const audit = await auditOf(space);
    expect(audit.filter(({ agents }) => agents !== undefined).map(({ verdict }) => verdict)).toEqual([
      ...['deny', 'deny', 'deny'],
      ...['allow', 'allow', 'deny'],
    ]);
  },
);
