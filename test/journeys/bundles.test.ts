import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { aca, doors } from '../support/aca.ts';
import { calls, says } from '../support/model-server/script.ts';
import { play } from '../support/replay.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

test('a session moves to another machine and folder: it is undone and resumed there', soak, async () => {
  const space = await workspace({ 'a.txt': 'one\n' });
  const id = await play(space, [
    calls(['Read', { file_path: 'a.txt' }]),
    calls(['Write', { file_path: path.join(space.root, 'a.txt'), content: 'two\n' }]),
    says('Done.'),
  ]);
  const exported = await aca(space, ['sessions', 'export', id, '--bundle', '-o', 'moved.aca']);
  expect(exported.stdout).toMatch(/^Exported to \S+moved\.aca \(\d+ [kK]?B\)\.\n$/);

  const other = await workspace({ 'a.txt': 'two\n' });
  await cp(path.join(space.root, 'moved.aca'), path.join(other.home, 'moved.aca'));
  const imported = await aca(other, ['sessions', 'import', path.join(other.home, 'moved.aca')]);
  expect(imported).toMatchObject({ stdout: `${id}\n`, stderr: '', code: 0 });

  await aca(other, ['undo', '--yes', '--session', id]);
  expect(await other.tree()).toEqual({ 'a.txt': 'one\n' });
  const server = await serve([says('Again.')]);
  const { model, env } = doors.anthropic(server.url);
  const resumed = await aca(other, ['-p', 'more', '--model', model, '--resume', id], { env });
  expect(resumed.stdout).toBe('Again.\n');
  expect(JSON.stringify(server.requests[0])).toContain(path.join(other.root, 'a.txt'));
  expect(JSON.stringify(server.requests[0])).not.toContain(space.root);
});

test('secrets stay out of a bundle unless the user says yes; damage is named', soak, async () => {
  const canary = 'AKIAIOSFODNN7CANARYX';
  const space = await workspace({ 'a.txt': `aws_access_key_id = ${canary}\n` });
  const id = await play(space, [
    calls(['Read', { file_path: 'a.txt' }]),
    calls(['Write', { file_path: 'a.txt', content: 'gone\n' }]),
    says(`It was ${canary}.`),
  ]);
  const exported = await aca(space, ['sessions', 'export', id, '--bundle', '-o', 'safe.aca']);
  expect(exported.stdout).toContain('they cannot be undone where you import this:\n  a.txt\n');

  const refused = await aca(space, ['sessions', 'export', id, '--bundle', '--with-secrets']);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('Add --yes if you want that.');
  await aca(space, ['sessions', 'export', id, '--bundle', '--with-secrets', '--yes', '-o', 'full.aca']);

  const other = await workspace({ 'a.txt': 'gone\n' });
  const safe = await aca(other, [
    'sessions',
    'import',
    path.join(space.root, 'safe.aca'),
    '--at',
    other.root,
  ]);
  expect(safe.stderr).toContain('Cannot be undone, because their contents were left out of the bundle:');
  const shown = await aca(other, ['sessions', 'export', id, '--with-secrets']);
  expect(shown.stdout).not.toContain(canary);
  expect((await aca(other, ['undo', '--yes', '--session', id])).stdout).toContain(
    'left out of the imported bundle',
  );
  expect(await other.tree()).toEqual({ 'a.txt': 'gone\n' });

  const third = await workspace({ 'a.txt': 'gone\n' });
  await aca(third, ['sessions', 'import', path.join(space.root, 'full.aca')]);
  await aca(third, ['undo', '--yes', '--session', id]);
  expect(await third.tree()).toEqual({ 'a.txt': `aws_access_key_id = ${canary}\n` });

  const bytes = await readFile(path.join(space.root, 'full.aca'));
  await writeFile(path.join(space.root, 'cut.aca'), bytes.subarray(0, -9));
  const cut = await aca(third, ['sessions', 'import', path.join(space.root, 'cut.aca')]);
  expect(cut.code).toBe(2);
  expect(cut.stderr).toContain('is not a valid session bundle: it is incomplete. Nothing was imported.');
});
