import { existsSync } from 'node:fs';
import { removeWorktree } from '../../src/sandbox/worktrees/remove.ts';
import { claimWorktree } from '../../src/sandbox/worktrees/worktree.ts';

/** Removes a worktree, and is killed at a `step N` of the event loop, or as soon as its folder is `gone`. */
const [at = '', moment = ''] = process.argv.slice(2);
const worktree = await claimWorktree(at, process.env);
if (!worktree) throw new Error(`${at} is in use.`);
let isRemoved = false;
let step = 0;
const watch = () => {
  if (isRemoved) return;
  if (moment === 'gone' ? !existsSync(at) : moment === `step ${step}`) process.kill(process.pid, 'SIGKILL');
  step += 1;
  setImmediate(watch);
};
watch();
await removeWorktree(worktree);
isRemoved = true;
