import { expect, test } from 'vitest';
import { defaultConfinement } from '../../../test/support/confinement.ts';
import { noBubblewrap } from '../../../test/support/sandboxed.ts';
import { workspace } from '../../../test/support/workspace.ts';
import { createServerStarter } from './server-process.ts';

async function endingOf(script: string): Promise<string> {
  const { root, home } = await workspace();
  const starter = createServerStarter({
    cwd: root,
    env: { PATH: process.env.PATH, HOME: home },
    hiddenEnv: [],
    confine: { ...defaultConfinement(home), isClosed: () => false },
    maxProcesses: 100,
    maxMemoryMb: 500,
    mayRunOutside: false,
  });
  try {
    const { ended } = await starter.start({ file: '/bin/sh', args: ['-c', script], folder: root });
    return await ended;
  } finally {
    await starter.close();
  }
}

test.skipIf(noBubblewrap !== null)(
  'a server that ends is quoted with what it said itself, and with the signal that ended it',
  async () => {
    expect(await endingOf('exit 3')).toBe('ended with exit code 3');
    expect(await endingOf('echo "no config" >&2; exit 3')).toBe('ended with exit code 3: no config');
    expect(await endingOf('kill -SEGV $$')).toBe('was ended by SIGSEGV');
  },
);
