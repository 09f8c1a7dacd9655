import process from 'node:process';
import { keysCommand } from '../../src/cli/subcommands/keys.ts';

/** Prompts for a key on its terminal. */
const { env, stdin, stdout, stderr } = process;
const command = keysCommand({ env, cwd: '.', stdin, stdout, stderr });
await command.parseAsync(['set', 'anthropic'], { from: 'user' }).catch((error) => console.log(error.message));
