import process from 'node:process';
import { keysCommand } from '../../src/cli/subcommands/keys.ts';

/** Asks for a key at the terminal it is started in. */
const { env, stdin, stdout, stderr } = process;
const command = keysCommand({ env, cwd: '.', stdin, stdout, stderr });
await command.parseAsync(['set', 'anthropic'], { from: 'user' }).catch((error) => console.log(error.message));
