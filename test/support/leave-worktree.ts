import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createWorktree } from '../../src/sandbox/worktrees/create.ts';

/** Makes a worktree, writes a file into it if one is named, and is killed. */
const [repository = '', at = '', file = ''] = process.argv.slice(2);
const tree = await createWorktree({ repository, at, env: process.env });
if (file !== '') writeFileSync(path.join(tree.folder, file), 'new\n');
process.kill(process.pid, 'SIGKILL');
