import { existsSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { UserError } from '../../src/contract/errors.ts';
import { createWorktree } from '../../src/sandbox/worktrees/create.ts';
import { removeUnused, removeWorktree } from '../../src/sandbox/worktrees/remove.ts';

/** Makes a worktree and removes it, again and again, and so does another process; complains if files are missing. */
const [repository = '', at = '', times = '', files = ''] = process.argv.slice(2);
for (let made = 0; made < Number(times); ) {
  await removeUnused(at);
  const tree = await createWorktree({ repository, at, env: process.env }).catch((error) => {
    if (error instanceof UserError && /already exists|in use/.test(error.message)) return null;
    throw error;
  });
  for (let i = 0; i < 20; i += 1) await turn();
  if (!tree) continue;
  const missing = files.split(',').filter((name) => !existsSync(path.join(tree.folder, name)));
  if (missing.length > 0) console.log(`Without ${missing.join()}`);
  await removeWorktree(tree);
  made += 1;
}
