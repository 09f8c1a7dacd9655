import { chmod, lstat, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { aca, doors, parseStream } from '../support/aca.ts';
import { calls, type Step, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { openTerminal } from '../support/terminal.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

/** Runs a script with edits allowed; what the model was told after each call, and the events. */
async function play(space: Workspace, script: Step[]) {
  const server = await serve([...script, says('done')]);
  const { model, env } = doors['openai-chat'](server.url);
  const args = ['-p', 'go', '--model', model, '--mode', 'accept-edits', '--output-format', 'stream-json'];
  const { code, stdout } = await aca(space, args, { env });
  expect(code).toBe(0);
  const told = server.requests.at(-1)?.messages.flatMap(({ results }) => results.map(({ text }) => text));
  return { told, events: parseStream(stdout).events };
}

async function open(space: Workspace, script: Step[], args: string[] = []) {
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  return openTerminal(space, ['--plain', '--model', model, ...args], env);
}

describe('Write and Edit, through the whole program', () => {
  test('[T09] [Y19] a file changed between reading and editing is left alone until it is read again', async () => {
    const space = await workspace({ 'a.txt': 'alpha\nbeta\n' });
    const change = calls(['Edit', { file_path: 'a.txt', old_string: 'alpha', new_string: 'ALPHA' }]);
    const { told } = await play(space, [
      calls(['Read', { file_path: 'a.txt' }]),
      async () => {
        await writeFile(path.join(space.root, 'a.txt'), 'alpha meanwhile\nbeta\n');
        return change;
      },
      calls(['Read', { file_path: 'a.txt' }]),
      calls(['Edit', { file_path: 'a.txt', old_string: 'alpha', new_string: 'ALPHA' }]),
    ]);
    expect(told).toEqual([
      '1\talpha\n2\tbeta',
      'File modified since last read\nRead a.txt again, then repeat the edit.',
      '1\talpha meanwhile\n2\tbeta',
      'File updated successfully',
    ]);
    expect(await space.tree()).toEqual({ 'a.txt': 'ALPHA meanwhile\nbeta\n' });
  });

  test('[T08] a text that overlaps itself, and the numbers of other lines, change nothing', async () => {
    const space = await workspace({ 'a.txt': 'aaa\nb\n' });
    const edit = (old_string: string, replace_all = false) =>
      calls(['Edit', { file_path: 'a.txt', old_string, new_string: 'c', replace_all }]);
    const { told } = await play(space, [edit('aa'), edit('aa', true), edit('1\tb'), edit('2\tb')]);
    expect(told).toEqual([
      'String appears 2 times. Use replace_all or provide more context.\nIt starts on lines 1, 1.',
      'String appears 2 times, and some of them overlap, so replace_all has more than one possible result. ' +
        'Edit each place with more context.\nIt starts on lines 1, 1.',
      expect.stringMatching(/^String not found in file\n/),
      expect.stringMatching(
        /^File updated successfully\nThe line numbers were removed: they are not part of the file\.\nThe lines are now:\n/,
      ),
    ]);
    expect(await space.tree()).toEqual({ 'a.txt': 'aaa\nc\n' });
  });

  test('[T08] a CRLF file and a UTF-16 file keep their bytes around the edit', soak, async () => {
    const space = await workspace({ 'crlf.txt': 'one\r\ntwo\r\nthree\r\n' });
    const wide = path.join(space.root, 'wide.txt');
    await writeFile(wide, Buffer.from('\ufeffein\r\nzwei\r\n', 'utf16le'));
    const { told } = await play(space, [
      calls(['Read', { file_path: 'crlf.txt' }], ['Read', { file_path: 'wide.txt' }]),
      calls(
        ['Edit', { file_path: 'crlf.txt', old_string: 'one\ntwo', new_string: '1\n2\n2.5' }],
        ['Edit', { file_path: 'wide.txt', old_string: 'zwei\n', new_string: 'zwo\ndrei\n' }],
      ),
    ]);
    const updated = expect.stringMatching(
      /^File updated successfully\nThe line endings in old_string are not those of the file, which were kept\.\n/,
    );
    expect(told?.slice(2)).toEqual([updated, updated]);
    expect((await space.tree())['crlf.txt']).toBe('1\r\n2\r\n2.5\r\nthree\r\n');
    expect(await readFile(wide)).toEqual(Buffer.from('\ufeffein\r\nzwo\r\ndrei\r\n', 'utf16le'));
  });

  test('[T07] a file that was not read is not overwritten; one that was, is', async () => {
    const space = await workspace({ 'a.txt': 'old\n' });
    const write = () => calls(['Write', { file_path: 'a.txt', content: 'new\n' }]);
    const { told } = await play(space, [write(), calls(['Read', { file_path: 'a.txt' }]), write(), write()]);
    expect(told).toEqual([
      'a.txt exists and was not read in this session. Read it first, then write or edit it.',
      '1\told',
      'File overwritten successfully',
      'a.txt already has exactly this content; nothing was written.',
    ]);
    expect(await space.tree()).toEqual({ 'a.txt': 'new\n' });
  });

  test('[Y17] what is not there, twice there or only similar comes back with what to do', async () => {
    const space = await workspace({ 'a.ts': 'const total = sum(a);\nx;\nx;\n' });
    const edit = (old_string: string, more = {}) =>
      calls(['Edit', { file_path: 'a.ts', old_string, new_string: 'y', ...more }]);
    const { told } = await play(space, [
      edit('const totals = sum(a);', { replace_all: true }),
      edit('x'),
      edit('2\tx;\n3\tx;'),
    ]);
    expect(told).toEqual([
      'String not found in file\nThe nearest text is this; copy it exactly, without the line numbers:\n1\tconst total = sum(a);',
      'String appears 2 times. Use replace_all or provide more context.\nIt starts on lines 2, 3.',
      expect.stringMatching(
        /^File updated successfully\nThe line numbers were removed: they are not part of the file\.\nThe lines are now:\n/,
      ),
    ]);
    expect(await space.tree()).toEqual({ 'a.ts': 'const total = sum(a);\ny\n' });
  });
});

const three = { 'a.txt': 'alpha\n', 'b.txt': 'beta\n', 'c/d.txt': 'delta\n' };

function shout(...names: (keyof typeof three)[]) {
  const edits = names.map((file_path) => {
    const old_string = three[file_path].trim();
    return { file_path, old_string, new_string: old_string.toUpperCase() };
  });
  return calls(['MultiEdit', { edits }]);
}

describe('[U09] MultiEdit, through the whole program', () => {
  test('three files are one call, one judgement, one change', async () => {
    const space = await workspace(three);
    const { told, events } = await play(space, [shout('a.txt', 'b.txt', 'c/d.txt')]);
    expect(told?.[0]).toMatch(
      /^Files updated successfully: 3 edits made in a.txt, b.txt, c\/d.txt\na.txt: The lines are now:\n1\tALPHA\n/,
    );
    expect(events.filter(({ type }) => type === 'judged').length).toBe(1);
    expect(events.find(({ type }) => type === 'tool_end')).toMatchObject({
      success: true,
      display: {
        kind: 'diffs',
        diffs: Object.keys(three).map((name) => ({ path: name, added: 1, removed: 1 })),
      },
    });
    expect(await space.tree()).toEqual({ 'a.txt': 'ALPHA\n', 'b.txt': 'BETA\n', 'c/d.txt': 'DELTA\n' });
  });

  test('one edit that cannot be made stops all', soak, async () => {
    const space = await workspace({ ...three, 'c/d.txt': 'other\n' });
    const { told } = await play(space, [shout('a.txt', 'b.txt', 'c/d.txt')]);
    expect(told?.[0]).toMatch(
      /^Edit 3 of 3 \(c\/d\.txt\) failed, so no edit was made: String not found in file\n/,
    );
    expect(await space.tree()).toEqual({ ...three, 'c/d.txt': 'other\n' });
  });

  test('[C05] asks once with every diff in sight, and /undo takes all of it back', async () => {
    const space = await workspace(three);
    const terminal = await open(space, [shout('a.txt', 'b.txt', 'c/d.txt'), says('Loud now.')], ['shout']);
    await terminal.waitFor('Allow: Edit a.txt, b.txt, c/d.txt? [y/n] ');
    for (const line of ['-alpha', '+ALPHA', '-beta', '+BETA', '-delta', '+DELTA'])
      await terminal.waitFor(line);
    expect(await space.tree()).toEqual(three);
    terminal.type('y\r');
    await terminal.waitFor('Loud now.');
    expect(terminal.screen().split('[y/n]').length - 1).toBe(1);
    expect(await space.tree()).toEqual({ 'a.txt': 'ALPHA\n', 'b.txt': 'BETA\n', 'c/d.txt': 'DELTA\n' });
    terminal.type('/undo\r');
    await terminal.waitFor('Undo this? [y/n] ');
    terminal.type('y\r');
    await terminal.waitFor('restored ', 3);
    expect(await space.tree()).toEqual(three);
  });
});

describe('[T17] [U17] Delete, through the whole program', () => {
  test(
    'what is deleted in one process comes back by /undo in the next, to the mode and the link',
    soak,
    async () => {
      const space = await workspace({ 'd/run.sh': 'echo\n', 'a.txt': 'alpha\n' });
      const at = (name: string) => path.join(space.root, name);
      await chmod(at('d/run.sh'), 0o755);
      await symlink('run.sh', at('d/link'));
      const { told } = await play(space, [
        calls(['Delete', { file_path: 'd' }]),
        calls(['Delete', { file_path: 'd', recursive: true }], ['delete_file', { file_path: 'a.txt' }]),
      ]);
      expect(told).toEqual([
        'd is a folder. Pass recursive: true to delete it with everything in it.',
        'Folder deleted successfully; /undo restores it',
        'File deleted successfully; /undo restores it',
      ]);
      expect(await space.tree()).toEqual({});

      const terminal = await open(space, [], ['--continue']);
      await terminal.waitFor('> ');
      terminal.type('/undo\r');
      await terminal.waitFor('Undo this? [y/n] ');
      terminal.type('y\r');
      await terminal.waitFor('restored ', 4);
      expect(await space.tree()).toEqual({ 'd/run.sh': 'echo\n', 'a.txt': 'alpha\n' });
      expect((await lstat(at('d/run.sh'))).mode & 0o777).toBe(0o755);
      expect(await readlink(at('d/link'))).toBe('run.sh');
    },
  );
});

test('an error about a file is one sentence with the path as the model wrote it, for each tool', async () => {
  const space = await workspace({
    'big.log': `needle\n${'x'.repeat(11_000_000)}\n`,
    'a.txt': 'a\n',
    'd/b': '',
  });
  const { told } = await play(space, [
    calls(['Edit', { file_path: 'big.log', old_string: 'needle', new_string: 'found' }]),
    calls(['Edit', { file_path: 'd', old_string: 'a', new_string: 'b' }]),
    calls(['Write', { file_path: 'a.txt/c', content: 'x' }]),
    calls(['MultiEdit', { file_path: 'big.log', edits: [{ old_string: 'needle', new_string: 'x' }] }]),
  ]);
  for (const text of told ?? []) {
    expect(text).not.toMatch(/^Error|failed: /);
    expect(text).not.toContain(space.root);
    expect(text).toMatch(/big\.log|\bd\b|a\.txt/);
  }
  expect(told?.[0]).toMatch(/^big\.log is 1\d\.\d MB; files up to 10 MB can be read\./);
});
