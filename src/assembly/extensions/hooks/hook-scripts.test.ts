import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { noBubblewrap, sandboxedShellIn } from '../../../../test/support/sandboxed.ts';
import { workspace } from '../../../../test/support/workspace.ts';
import { scriptsIn } from './hook-scripts.ts';

describe('the scripts that a hook names', () => {
  test.each<[string, string[]]>([
    ['~/.claude/hooks/check.sh', ['/home/u/.claude/hooks/check.sh']],
    ['python3 "$HOME/hooks/a b.py"', []],
    ['python3 "$HOME/hooks/a.py" --strict', ['/home/u/hooks/a.py']],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: As a shell writes it.
    ['bash ${HOME}/a.bash && node /home/u/b.mjs', ['/home/u/a.bash', '/home/u/b.mjs']],
    ['(cd /; ~/x.rb) | ~/y.pl > ~/log.txt', ['/home/u/x.rb', '/home/u/y.pl']],
    ['./check.sh; npm test; echo ~/notes.txt', []],
    ['cat ~/.ssh/id_ed25519 ~/.aws/credentials ~', []],
    ['echo ~root/a.sh $HOMEX/a.sh x~/a.sh', []],
  ])('%s', (command, scripts) => expect(scriptsIn(command, '/home/u')).toEqual(scripts));

  test('none, without a home folder', () => expect(scriptsIn('~/a.sh', undefined)).toEqual([]));

  test('in a home folder whose name has a dollar sign', () =>
    expect(scriptsIn('~/a.sh', '/home/$&')).toEqual(['/home/$&/a.sh']));
});

test.skipIf(noBubblewrap !== null)('they run, and nothing beside them can be read', async () => {
  const space = await workspace();
  const hooks = path.join(space.home, '.claude/hooks');
  await mkdir(hooks, { recursive: true });
  await writeFile(
    path.join(hooks, 'check.sh'),
    'cat "$HOME/.claude/hooks/other.sh" "$HOME/notes.txt"; echo ran',
  );
  await writeFile(path.join(hooks, 'other.sh'), 'canary');
  await writeFile(path.join(space.home, 'notes.txt'), 'canary');
  const { run } = sandboxedShellIn(space);
  const command = 'bash ~/.claude/hooks/check.sh';
  const { stdout } = await run(command, { readable: scriptsIn(command, space.home) });
  expect(stdout).toBe('ran\n');
});
