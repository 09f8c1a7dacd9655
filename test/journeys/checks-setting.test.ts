// @module-tag soak
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { textOf } from '../../src/contract/message.ts';
import { ask, startedEditor } from '../support/acp.ts';
import { run, writeHooks } from '../support/hooks.ts';
import { calls, type Step, says } from '../support/model-server/script.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const create = (file: string, content: string) => calls(['Write', { file_path: file, content }]);

/** What the checks told the model, and what they told the user. */
async function play(space: Workspace, checks: object[], script: Step[]) {
  await writeHooks(space, {}, { checks });
  const played = await run(space, script, ['--trust', '--mode', 'auto']);
  const told = played.events.flatMap((event) =>
    event.type === 'message' && event.message.role === 'user' ? [textOf(event.message)] : [],
  );
  return { ...played, told: told.filter((text) => text.includes('After your changes')) };
}

test('only checks whose files changed run, and only what is new is reported', async () => {
  const space = await workspace({ 'old.py': 'BAD old\n', 'a.ts': 'x\n' });
  const grep = (glob: string) => ({
    command: `! grep -n BAD ${glob} /dev/null`,
    files: [glob],
  });
  const { told, code } = await play(
    space,
    [grep('*.py'), { command: 'echo ran >> ran-for-ts; exit 0', files: ['*.ts'] }],
    [create('new.py', 'fine\nBAD new\n'), says('done'), says('cannot')],
  );
  expect(told).toEqual(['After your changes, `! grep -n BAD *.py /dev/null` reports:\nnew.py:2:BAD new']);
  expect(code).toBe(0);
  // Once for the state before the first change.
  expect((await space.tree())['ran-for-ts']).toBe('ran\n');
});

test('a check writes in the folder only, and one that formats files is no finding', async () => {
  const space = await workspace({ 'a.txt': 'x\n' });
  const outside = `${space.home}/planted`;
  const { told, code } = await play(
    space,
    [
      {
        command: `echo x > '${outside}' 2>/dev/null; sed -i 's/TAB/    /' *.txt; echo run >> count.log`,
        files: ['*.txt'],
      },
    ],
    [create('b.txt', 'TAB one\n'), says('done')],
  );
  const tree = await space.tree();
  expect(told).toEqual([]);
  expect(code).toBe(0);
  expect(tree['b.txt']).toBe('     one\n');
  expect(tree['count.log']).toBe('run\nrun\n');
  expect(existsSync(outside)).toBe(false);
});

test('in an editor, the model gets the findings and goes on', async () => {
  const space = await workspace({ 'a.txt': 'x\n' });
  await writeHooks(space, {}, { checks: [{ command: '! grep -n BAD b.txt /dev/null 2>/dev/null' }] });
  const it = await startedEditor(
    space,
    [
      create('b.txt', 'BAD\n'),
      says('done'),
      calls(['Read', { file_path: 'b.txt' }], ['Write', { file_path: 'b.txt', content: 'fine\n' }]),
      says('fixed'),
    ],
    { args: ['--mode', 'accept-edits'] },
  );
  expect(await ask(it, it.sessionId, 'go')).toMatchObject({ stopReason: 'end_turn' });
  expect(it.server.requests[2]?.messages.at(-1)?.text).toContain('reports:\nb.txt:1:BAD');
  expect(await space.tree()).toMatchObject({ 'b.txt': 'fine\n' });
});
