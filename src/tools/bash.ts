import { stripVTControlCharacters } from 'node:util';
import * as z from 'zod';
import { type CommandOutcome, defineTool, fail, ok } from '../contract/tool.ts';
import { createLiveOutput } from './live-output.ts';

const DEFAULT_TIMEOUT = 120_000;
const MAX_TIMEOUT = 600_000;

export const bash = defineTool({
  name: 'Bash',
  aliases: ['run_command', 'run_shell_command', 'execute_command', 'shell', 'sh', 'exec', 'terminal', 'run'],
  description:
    'Run a command in the system shell and wait for its end. It gets no input and no terminal, so pass flags such as ' +
    '--yes. Each call starts anew: cd and variables do not carry over. For files prefer Read, Edit, Glob and Grep.',
  input: z.object({
    command: z.string().min(1).describe('Command line'),
    timeout: z.number().int().min(1).max(MAX_TIMEOUT).default(DEFAULT_TIMEOUT).describe('Milliseconds'),
    working_directory: z
      .string()
      .min(1)
      .optional()
      .describe('Where to run it; the working directory if absent'),
    description: z.string().optional().describe('What it does, in five to ten words'),
  }),

  title: ({ command }) => `Bash ${command}`,
  access: ({ command, working_directory }) => [
    { kind: 'execute', target: command },
    ...(working_directory === undefined ? [] : [{ kind: 'read' as const, target: working_directory }]),
  ],

  async run({ command, timeout, working_directory }, { files, shell, signal, progress }) {
    if (command.includes('\0')) return fail('The command contains a NUL byte. Send it without.');
    const folder = working_directory === undefined ? null : await files.stat(working_directory);
    if (working_directory !== undefined && folder?.type !== 'directory') {
      return fail(
        `${working_directory} is not a folder. Give a folder in working_directory, or leave it out.`,
      );
    }

    const live = createLiveOutput(progress);
    const outcome = await shell.run({
      command,
      timeoutMs: timeout,
      signal,
      onOutput: live.push,
      ...(folder && { cwd: folder.path }),
    });
    live.end();
    const { exitCode, durationMs } = outcome;
    const output = streamsOf(outcome);
    const extra = {
      display: { kind: 'command' as const, command, exitCode, output },
      metadata: {
        exitCode,
        durationMs,
        command,
        ...(outcome.signal !== null && { signal: outcome.signal }),
        ...(outcome.timedOut && { timedOut: true }),
      },
    };
    const trouble = troubleOf(outcome, timeout);
    if (trouble === null) return ok(output === '' ? '(no output)' : output, extra);
    return fail(output === '' ? trouble : `${trouble}\n${output}`, extra);
  },
});

function streamsOf({ stdout, stderr }: CommandOutcome): string {
  return stripVTControlCharacters(stdout + (stderr === '' ? '' : `\n[stderr]\n${stderr}`));
}

function troubleOf({ exitCode, signal, timedOut }: CommandOutcome, timeout: number): string | null {
  if (timedOut) {
    return `Timed out after ${timeout} ms and was stopped. If it needs longer, pass a larger timeout (at most ${MAX_TIMEOUT}).`;
  }
  if (exitCode === null) return `Ended by signal ${signal}`;
  return exitCode === 0 ? null : `Exit code ${exitCode}`;
}
