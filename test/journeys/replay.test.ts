import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ReplayReport } from '../../src/app/replay/report.ts';
import { aca, doors } from '../support/aca.ts';
import { writeHooks } from '../support/hooks.ts';
import { calls, fails, says } from '../support/model-server/script.ts';
import { ALLOWED, bash, changeJournal, journalOf, play, replay, write } from '../support/replay.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

/** The home folder is closed to commands. */
async function makeReadable({ home }: Workspace, file: string): Promise<void> {
  const folder = path.join(home, '.ai-assistant');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'config.json'), JSON.stringify({ sandbox: { readablePaths: [file] } }));
}

test('a session runs again in a copy of its folder as it was: everything is the same', soak, async () => {
  const space = await workspace({ 'a.txt': 'one\n', 'gone.txt': 'x\n' });
  const id = await play(
    space,
    [
      calls(['Read', { file_path: path.join(space.root, 'a.txt') }]),
      write(path.join(space.root, 'a.txt'), 'two\n'),
      bash('cat a.txt; rm gone.txt; pwd; date; echo "took 12 ms" > log.txt; ls'),
      bash('false'),
      says('Done.'),
    ],
    ALLOWED,
  );
  const after = await space.tree();
  const { code, report } = await replay(space, id);
  expect(report.differences).toEqual([]);
  expect(report).toMatchObject({ session: id, same: true, runs: 1, calls: 4, fromJournal: [] });
  expect(report.files).toBe(3);
  expect(code).toBe(0);
  expect(await space.tree()).toEqual(after);

  const shown = await aca(space, ['replay', id.slice(0, 8), '--unsandboxed']);
  expect(shown.stdout).toContain('1 run, 4 calls, 3 changed files.\nEverything is the same.\n');

  const temporary = path.join(space.root, 'tmp');
  await mkdir(temporary);
  const inside = await aca(space, ['replay', id, '--unsandboxed'], { env: { TMPDIR: temporary } });
  expect(inside.stdout).toContain('1 difference. The first: the result of Bash cat a.txt');
  expect(await readdir(temporary)).toEqual([]);
});

describe('what differs is shown', () => {
  test('a result, and the file it leads to', soak, async () => {
    const space = await workspace({ 'a.txt': 'one\n' });
    const outside = path.join(space.home, 'tool.sh');
    await makeReadable(space, outside);
    await writeFile(outside, 'echo old\n');
    const id = await play(space, [bash(`sh ${outside} > out.txt; cat out.txt`), says('Done.')], ALLOWED);
    await writeFile(outside, 'echo new\n');
    const { code, report } = await replay(space, id);
    expect(code).toBe(1);
    expect(report.differences.map(({ kind, expected, actual }) => [kind, expected, actual])).toEqual([
      ['result', 'old\n', 'new\n'],
      ['file', 'file 644\nold\n', 'file 644\nnew\n'],
    ]);
    const shown = await aca(space, ['replay', id, '--unsandboxed']);
    expect(shown.stdout).toMatch(
      /2 differences\. The first: the result of Bash sh .*\n {2}--- journal\n {2}\+\+\+ replay\n/,
    );
    expect(shown.stdout).toContain('  -old\n  +new');
  });
});

test('what reaches other machines is answered from the journal, with what it changed', soak, async () => {
  const space = await workspace({ 'a.txt': 'one\n' });
  const id = await play(
    space,
    [bash('git push origin main; echo pushed > pushed.txt'), bash('cat pushed.txt'), says('Done.')],
    ALLOWED,
  );
  const { report } = await replay(space, id);
  expect(report.differences).toEqual([]);
  expect(report.fromJournal).toEqual([
    { call: expect.stringContaining('git push'), because: 'it reached other machines' },
  ]);
});

test('calls that were refused never run: by mode, rule, hook or guard, also those of subagents', async () => {
  const space = await workspace({ 'a.txt': 'one\n' });
  const victims = ['mode', 'rule', 'hook', 'subagent', 'outside'].map((name) =>
    path.join(space.home, `${name}.txt`),
  );
  for (const victim of victims) await writeFile(victim, 'x\n');
  await writeHooks(space, {
    PreToolUse: [{ matcher: 'Bash', command: 'grep -q hook.txt && { echo not that >&2; exit 2; }; exit 0' }],
  });
  const remove = (name: string) => bash(`rm ${path.join(space.home, `${name}.txt`)}`);
  const work = { description: 'remove', prompt: 'remove it', subagent_type: 'general' };
  const id = await play(
    space,
    [
      remove('mode'),
      remove('mode'),
      bash(`unlink ${path.join(space.home, 'rule.txt')}`),
      remove('hook'),
      calls(['Edit', { file_path: 'a.txt', old_string: 'nowhere', new_string: 'x' }]),
      calls(['Bash', { command: `rm ${path.join(space.home, 'outside.txt')}`, outside_sandbox: true }]),
      calls(['Task', work]),
      remove('subagent'),
      says('It was refused.'),
      bash('cat a.txt'),
      says('Done.'),
    ],
    ['--mode', 'default', '--allow', 'Bash(unlink *)', '--deny', 'Bash(unlink *)'],
  );
  await play(space, [write('a.txt', 'two\n'), says('Planned.')], ['--resume', id, '--mode', 'plan']);
  const records = await changeJournal(journalOf(space, id), () => undefined);
  expect(records.filter(({ type }) => type === 'call_started')).toHaveLength(2);
  const { report } = await replay(space, id);
  expect(report.differences).toEqual([]);
  expect(report.fromJournal).toEqual([
    { call: expect.stringContaining('unlink'), because: 'it was not run in the session either' },
  ]);
  expect(victims.filter((victim) => !existsSync(victim))).toEqual([]);

  await writeHooks(space, {});
  const { differences } = (await replay(space, id)).report;
  expect(differences).toMatchObject([{ kind: 'result', about: expect.stringContaining('hook.txt') }]);
  expect(victims.filter((victim) => !existsSync(victim))).toEqual([]);
});

test('a replay that ran nothing again is not called a success', soak, async () => {
  const space = await workspace({ 'a.txt': 'one\n' });
  const outward = bash('curl -s https://example.invalid; true');
  const id = await play(space, [outward, says('Done.')], ALLOWED);
  const { code, report } = await replay(space, id);
  expect(report).toMatchObject({ same: true, complete: false, calls: 0, fromJournal: [{}] });
  expect(code).toBe(6);
  const shown = await aca(space, ['replay', id, '--unsandboxed']);
  expect(shown.stdout).toContain('The same as far as it was run again (0 of 1 call).');
  expect(shown.stdout).not.toContain('Everything is the same');

  const some = await play(space, [outward, bash('cat a.txt'), says('Done.')], ALLOWED);
  expect((await replay(space, some)).code).toBe(0);
  const strict = await replay(space, some, ['--strict']);
  expect(strict.report).toMatchObject({ same: true, complete: false, calls: 1 });
  expect(strict.code).toBe(6);
});

test('runs, edits by the user in between and an undo are replayed in their order', soak, async () => {
  const space = await workspace({ 'a.txt': 'one\n' });
  const id = await play(space, [write('b.txt', 'first\n'), says('One.')]);
  await writeFile(path.join(space.root, 'b.txt'), 'by hand\n');
  await play(
    space,
    [calls(['Read', { file_path: 'b.txt' }]), write('b.txt', 'second\n'), says('Two.')],
    ['--resume', id],
  );
  await aca(space, ['undo', '--yes', '--session', id]);
  await play(space, [bash('cat b.txt'), says('Three.')], ['--resume', id, ...ALLOWED]);
  const { report } = await replay(space, id);
  expect(report.differences).toEqual([]);
  expect(report).toMatchObject({ runs: 3, calls: 4 });
});

test('a journal of a newer version, a lost start and a damaged line are named', soak, async () => {
  const space = await workspace({ 'a.txt': 'one\n' });
  const id = await play(space, [write('b.txt', 'two\n'), says('Done.')]);
  const journal = journalOf(space, id);
  await appendFile(journal, '{"type":"message","message":{"role":"tool"');
  const { report } = await replay(space, id);
  expect(report.notes.join()).toContain('Lost: the result of a tool call.');
  await writeFile(journal, '{"type":"header","version":7}\n');
  const newer = await aca(space, ['replay', id]);
  expect(newer).toMatchObject({ code: 2, stdout: '' });
  expect(newer.stderr).toContain('was written by a newer version of aca (journal version 7)');
  await writeFile(journal, '{"type":"end"}\n');
  expect((await aca(space, ['replay', id])).stderr).toContain('its start is lost');
});

test(
  'another model is asked for the same turns: its other calls and its costs are shown, and nothing of it runs',
  soak,
  async () => {
    const space = await workspace({ 'a.txt': 'one\n' });
    const id = await play(space, [write('b.txt', 'two\n'), bash('ls'), says('Done.')], ALLOWED);
    const server = await serve([write('b.txt', 'two\n'), bash('rm a.txt'), says('Also done.')]);
    const { model, env } = doors['openai-responses'](server.url);
    const { stdout } = await aca(space, ['replay', id, '--json', '--unsandboxed', '--model', model], { env });
    const report = JSON.parse(stdout) as ReplayReport;
    expect(report.differences).toEqual([]);
    expect(report.comparison).toMatchObject({
      turns: 3,
      actions: [{ turn: 2, expected: ['Bash ls'], actual: ['Bash rm a.txt'] }],
      stopped: null,
    });
    expect(server.requests).toHaveLength(3);
    expect(await space.tree()).toEqual({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
  },
);

test('a comparison that stops early names no files that it did not reach', soak, async () => {
  const space = await workspace({ 'a.txt': 'one\n' });
  const id = await play(space, [write('b.txt', 'two\n'), bash('echo 3 > c.txt'), says('Done.')], ALLOWED);
  await play(space, [write('d.txt', 'four\n'), says('More.')], ['--resume', id]);
  const server = await serve([write('b.txt', 'two\n'), fails(401)]);
  const { model, env } = doors['openai-responses'](server.url);
  const { stdout, code } = await aca(space, ['replay', id, '--json', '--unsandboxed', '--model', model], {
    env,
  });
  const report = JSON.parse(stdout) as ReplayReport;
  expect(report.differences).toEqual([]);
  expect(report.comparison?.stopped).toEqual(expect.any(String));
  expect(code).toBe(4);
});

test('commands that changed files in other folders are answered from the journal', soak, async () => {
  const space = await workspace({ 'a.txt': 'one\n' });
  const other = path.join(space.home, 'other');
  await mkdir(other);
  const id = await play(
    space,
    [
      bash('cat a.txt'),
      bash(`echo x >> ${other}/log; echo y > here.txt; cat ${other}/log`),
      bash('cat here.txt'),
      says('Done.'),
    ],
    [...ALLOWED, '--add-dir', other],
  );
  const { report } = await replay(space, id);
  expect(report.differences).toEqual([]);
  expect(report.fromJournal).toEqual([
    { call: expect.stringContaining('echo x'), because: 'it changed files outside the folder' },
  ]);
  expect(await readFile(path.join(other, 'log'), 'utf8')).toBe('x\n');
});

test('a file too large to save is not compared, and a note says so; long texts are cut', soak, async () => {
  const space = await workspace({ 'a.txt': 'one\n' });
  const outside = path.join(space.home, 'size');
  await makeReadable(space, outside);
  await writeFile(outside, '1000000');
  const id = await play(
    space,
    [
      bash('head -c 21000000 /dev/zero > big.bin'),
      bash(`head -c $(cat ${outside}) /dev/zero | tr "\\0" x > long.txt`),
      says('Done.'),
    ],
    ALLOWED,
  );
  const { report } = await replay(space, id);
  expect(report.differences).toEqual([]);
  expect(report.notes.join()).toContain('big.bin was too large to save: its content is not compared.');
  await writeFile(outside, '1000001');
  const [difference] = (await replay(space, id)).report.differences;
  expect(difference).toMatchObject({ kind: 'file', expected: expect.any(String) });
  expect(`${difference?.expected}${difference?.actual}`.length).toBeLessThan(101_000);
});

test('a branch goes on from before a prompt, in a copy of the folder as it was then', soak, async () => {
  const space = await workspace({ 'a.txt': 'one\n' });
  const id = await play(space, [write('b.txt', 'first\n'), says('One.')]);
  await play(space, [write('c.txt', 'second\n'), says('Two.')], ['--resume', id]);
  const server = await serve([bash('ls'), says('Other.')]);
  const { model, env } = doors.anthropic(server.url);
  const folder = path.join(space.home, 'branch');
  const { stdout, stderr } = await aca(
    space,
    ['replay', id, '--from', '2', '--at', folder, '--model', model],
    { env },
  );
  expect(stdout).toBe('Other.\n');
  expect(stderr).toContain(` in ${folder}.`);
  const results = JSON.stringify(server.requests.at(-1));
  expect(results).toContain('b.txt');
  expect(results).not.toContain('c.txt');
  expect(await space.tree()).toEqual({ 'a.txt': 'one\n', 'b.txt': 'first\n', 'c.txt': 'second\n' });
});

test(
  'a branch that cannot start leaves nothing behind, and flags without effect are refused',
  soak,
  async () => {
    const space = await workspace({ 'a.txt': 'one\n' });
    const id = await play(
      space,
      [says('One.'), says('Checked.')],
      ['--check', 'test -e checked || { touch checked; exit 1; }'],
    );
    const temporary = path.join(space.home, 'tmp');
    await mkdir(temporary);
    const { model, env } = doors.anthropic('http://127.0.0.1:1');
    const refused: [string[], string][] = [
      [['--from', '1', '--mode', 'bogus'], 'Allowed choices'],
      [['--from', '1', '--model', 'openai/gpt-5'], 'key'],
      [['--from', '1', '--model', model, '--at', 'inside'], "is inside the session's folder"],
      [['--from', '1', '--model', model, '--at', path.join(space.root, 'a.txt')], "is inside the session's"],
      [['--from', '1', '--model', model, '--at', journalOf(space, id)], 'is not a folder'],
      [['--from', '2', '--model', model], 'has no prompt 2: it has 1'],
      [['--at', '../x'], '--at needs --from'],
      [['--mode', 'plan'], '--mode needs --from'],
      [['--budget', '$1'], '--budget needs --model or --from'],
      [['--from', '1', '--strict'], '--strict does not work with --from'],
    ];
    for (const [args, said] of refused) {
      const { code, stderr } = await aca(space, ['replay', id, ...args], {
        env: { ...env, TMPDIR: temporary },
      });
      expect([args, code, stderr]).toEqual([args, 2, expect.stringContaining(said)]);
    }
    expect(await readdir(temporary)).toEqual([]);
    expect((await readdir(space.root)).sort()).toEqual(['a.txt', 'checked']);
  },
);

test('subagents are replayed, each with its own replies', soak, async () => {
  const space = await workspace({ 'a.txt': 'one\n' });
  const work = { description: 'read it', prompt: 'read it', subagent_type: 'general' };
  const id = await play(
    space,
    [
      calls(['Task', work]),
      calls(['Read', { file_path: 'a.txt' }]),
      write('by-subagent.txt', 'one\n'),
      says('It says one.'),
      says('Done.'),
    ],
    ALLOWED,
  );
  const { report } = await replay(space, id);
  expect(report.differences).toEqual([]);
  expect(report).toMatchObject({ calls: 3, files: 1 });
});

test('contents that undo has lost and a folder that is gone are named', soak, async () => {
  const space = await workspace({ 'a.txt': 'one\n' });
  const id = await play(space, [
    calls(['Read', { file_path: 'a.txt' }]),
    write('a.txt', 'two\n'),
    says('Done.'),
  ]);
  await rm(path.join(space.home, '.ai-assistant', 'undo'), { recursive: true });
  const lost = await replay(space, id);
  expect(lost.report.differences[0]).toMatchObject({ kind: 'result', about: 'Read a.txt' });
  expect(lost.report.notes.join('\n')).toContain('The undo data of this session is gone');

  const other = await workspace({ 'a.txt': 'one\n' });
  const gone = await play(other, [
    calls(['Read', { file_path: 'a.txt' }]),
    write('a.txt', 'two\n'),
    says('Done.'),
  ]);
  await rm(other.root, { recursive: true });
  const { stdout } = await aca(other, ['replay', gone, '--json', '--unsandboxed'], { cwd: other.home });
  const report = JSON.parse(stdout) as ReplayReport;
  expect(report.notes.join('\n')).toContain(`The folder ${other.root} is gone`);
  expect(report.differences).toEqual([]);
});

test.each(['embedded/qwen2.5-coder-0.5b', 'demo/script', 'gone-vendor/x', ''])(
  'a session of the model %j needs neither it nor its settings',
  soak,
  async (model) => {
    const space = await workspace({ 'a.txt': 'one\n' });
    const id = await play(space, [bash('cat a.txt'), says('Done.')], ALLOWED);
    await changeJournal(journalOf(space, id), ([header]) =>
      Object.assign(header ?? {}, { settings: { model } }),
    );
    expect((await replay(space, id)).report.differences).toEqual([]);
  },
);
