import { mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { aca, doors } from '../support/aca.ts';
import { calls, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { workspace } from '../support/workspace.ts';

const bash = (command: string) => calls(['Bash', { command }]);

describe.skipIf(process.platform === 'win32')('a working directory that is swapped during a session', () => {
  test.each(['ls', 'touch made'])('stops commands such as %s as it stops writes', async (command) => {
    const space = await workspace({ 'a.txt': 'mine\n' });
    const other = `${space.root}-other`;
    await mkdir(other);
    await writeFile(`${other}/private.txt`, 'not yours\n');
    const server = await serve([
      bash('ls'),
      async () => {
        await rename(space.root, `${space.root}-away`);
        await symlink(other, space.root);
        return bash(command);
      },
      calls(['Write', { file_path: 'made', content: 'x' }]),
      says('Done.'),
    ]);
    const { model, env } = doors.anthropic(server.url);
    const args = ['-p', 'go', '--model', model, '--mode', 'accept-edits', '--allow', 'Bash(*)'];
    const { code, stderr } = await aca(space, args, { env });
    const told = server.requests.slice(1).map(({ messages }) => messages.at(-1)?.results[0]?.text);
    expect(told).toEqual([
      expect.stringContaining('a.txt'),
      `Permission denied: run a command in ${space.root} (it now leads to ${other}; ask the user to put it back or to start a new session)`,
      expect.stringContaining('outside the working directory'),
    ]);
    expect({ code, stderr }).toMatchObject({ code: 3 });
    expect(await readdir(other)).toEqual(['private.txt']);
  });
});
