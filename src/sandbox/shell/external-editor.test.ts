import { chmod, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { freshFolder } from '../../../test/support/workspace.ts';
import { editInProgram } from './external-editor.ts';

async function program(script: string): Promise<string> {
  const folder = await freshFolder('an editor-');
  const file = path.join(folder, 'edit.sh');
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return `'${file}'`;
}

const isWindows = process.platform === 'win32';

test.skipIf(isWindows)('the edited text is returned, and arguments are passed', async () => {
  const editor = await program('printf \'%s\\n\' "$(cat "$2") and $1" > "$2"');

  expect(await editInProgram('one\ntwo', `${editor} --wait`)).toBe('one\ntwo and --wait');
});

test.skipIf(isWindows)(
  'an editor that changes nothing, or adds lines, leaves the others unchanged',
  async () => {
    for (const text of ['', 'one', 'one\n', 'one\n\n']) expect(await editInProgram(text, 'true')).toBe(text);
    expect(await editInProgram('one', await program('echo two >> "$1"'))).toBe('one\ntwo');
  },
);

test.skipIf(isWindows)('an editor that fails, or is missing, changes nothing', async () => {
  expect(await editInProgram('text', await program('exit 1'))).toBeNull();
  expect(await editInProgram('text', '/no/such/editor 2>/dev/null')).toBeNull();
});

test.skipIf(isWindows)('no file is left behind, and only its owner can read it meanwhile', async () => {
  const editor = await program('ls -l "$1" | cut -c1-10 > "$1.tmp"; echo "$1" >> "$1.tmp"; mv "$1.tmp" "$1"');
  const [mode, file = ''] = (await editInProgram('', editor))?.split('\n') ?? [];

  expect(mode).toBe('-rw-------');
  await expect(readdir(path.dirname(file))).rejects.toThrow('ENOENT');
});
