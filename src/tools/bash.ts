import { stripVTControlCharacters } from 'node:util';
import * as z from 'zod';
import { type CommandOutcome, defineTool, fail, ok, type Tool } from '../contract/tool.ts';
import { onAbort } from '../lib/async/abort.ts';
import { truncateText } from '../lib/text/truncate.ts';
import { adaptBash } from './dialects/adapt-running.ts';
import { commandTitle } from './running/command-title.ts';
import { createLiveOutput } from './running/live-output.ts';
import { sandboxHint } from './running/sandbox-hint.ts';

const DEFAULT_TIMEOUT = 120_000;
const MAX_TIMEOUT = 600_000;

/** `shell` is the name of the shell that runs the commands; `maxTimeoutMs` is the user's limit. */
export type BashOptions = { shell?: string; maxTimeoutMs?: number };

const input = () =>
  z.object({
    command: z.string().min(1).describe('Command line'),
    timeout: z.number().int().min(1).optional().describe(`Milliseconds; ${DEFAULT_TIMEOUT} if absent`),
    working_directory: z.string().min(1).optional().describe('Where to run it'),
    description: z.string().optional().describe('What it does, in five to ten words'),
    run_in_background: z
      .boolean()
      .optional()
      .describe('Return immediately with an id for BashOutput and KillShell; no time limit'),
    outside_sandbox: z
      .boolean()
      .optional()
      .describe('Only for a command that the sandbox blocked; the user is asked'),
  });

/** How other assistants call it. */
const dialects = {
  aliases: [
    ...['run_command', 'run_shell_command', 'execute_command', 'shell', 'sh', 'exec', 'terminal', 'run'],
    ...['shell_command', 'exec_command', 'local_shell', 'container.exec', 'execute_bash', 'run_terminal_cmd'],
    ...['run_terminal_command', 'run_in_terminal', 'bash_tool', 'cmd'],
  ],
  argumentAliases: {
    command: ['cmd', 'script', 'command_line', 'bash_command'],
    working_directory: [
      'workdir',
      'cwd',
      'dir_path',
      'directory',
      'dir',
      'working_dir',
      'work_dir',
      'folder',
    ],
    run_in_background: ['is_background', 'background', 'in_background'],
    outside_sandbox: ['dangerouslyDisableSandbox', 'with_escalated_permissions'],
  },
  ignoredArguments: [
    'login',
    'max_output_tokens',
    'requires_approval',
    'prefix_rule',
    'intent',
    'goal',
    'security_risk',
    'delay_ms',
    'require_user_approval',
  ],
  adapt: adaptBash,
};

export function createBash({ shell: name, maxTimeoutMs = MAX_TIMEOUT }: BashOptions = {}): Tool {
  return defineTool({
    name: 'Bash',
    ...dialects,
    description:
      `Run a command in ${name ?? 'the system shell'} and wait for its end. It gets no input and no terminal, so pass ` +
      `flags such as --yes. After ${maxTimeoutMs} ms at most it continues in the background; for servers set ` +
      'run_in_background. Each call starts fresh: cd and variables do not carry over. For files prefer Read, Edit, Glob ' +
      'and Grep. In the sandbox only the working directory and a private /tmp can be changed, secrets are hidden, ' +
      'and there may be no network.',
    input,

    title: ({ command }) => `Bash ${commandTitle(command)}`,
    access: ({ command, working_directory, outside_sandbox }) => [
      { kind: 'execute', target: command, ...(outside_sandbox && { unconfined: true as const }) },
      ...(working_directory === undefined ? [] : [{ kind: 'read' as const, target: working_directory }]),
    ],
    // The user must see all of it before approving.
    preview: async ({ command }) =>
      commandTitle(command) === command ? undefined : { kind: 'text', text: command },

    async run(
      { command, timeout, working_directory, run_in_background, outside_sandbox },
      { files, shell, signal, progress, mayLeaveSandbox },
    ) {
      if (command.includes('\0')) return fail('The command contains a NUL byte. Remove it.');
      const folder = working_directory === undefined ? null : await files.stat(working_directory);
      if (working_directory !== undefined && folder?.type !== 'directory') {
        return fail(`${working_directory} is not a folder. Pass a folder as working_directory, or omit it.`);
      }
      const where = {
        ...(folder && { cwd: folder.path }),
        ...(outside_sandbox && { unconfined: true as const }),
      };
      if (run_in_background) {
        const id = await shell.start({ command, ...where });
        return ok(
          `Started in the background as ${id}. BashOutput reads its output, KillShell stops it; it is stopped when the session ends.`,
          { metadata: { id, command }, summary: { kind: 'started', id } },
        );
      }

      const live = createLiveOutput(progress);
      const limit = Math.min(timeout ?? DEFAULT_TIMEOUT, maxTimeoutMs);
      // Nobody waits for the end of an interrupted command: what it printed must be reported now.
      const interrupted = onAbort(signal, live.end);
      const outcome = await shell
        .run({
          command,
          timeoutMs: limit,
          signal,
          onOutput: live.push,
          continuesInBackground: true,
          ...where,
        })
        .finally(interrupted.off);
      live.end();
      const { exitCode, durationMs, fullOutput } = outcome;
      const output = streamsOf(outcome);
      const extra = {
        display: { kind: 'command' as const, command, exitCode, output: truncateText(output) },
        metadata: {
          exitCode,
          signal: outcome.signal,
          durationMs,
          command,
          ...(folder && { folder: folder.path }),
          sandbox: outcome.sandbox,
          ...(outcome.timedOut && { timedOut: true }),
          ...(fullOutput !== undefined && { fullOutput }),
        },
        ...(outcome.timedOut && { summary: { kind: 'exit' as const, exitCode, timedOut: true as const } }),
      };
      if (outcome.background !== undefined) {
        const { background: id } = outcome;
        return ok([stillRunning(id, limit), output].filter((text) => text !== '').join('\n'), {
          display: extra.display,
          metadata: { id, command, durationMs, timedOut: true },
          summary: { kind: 'started', id },
        });
      }
      const trouble = troubleOf(outcome, { asked: timeout ?? limit, limit, maxTimeoutMs });
      if (trouble === null) return ok(output === '' ? '(no output)' : output, extra);
      const hint = sandboxHint(outcome, { mayLeave: mayLeaveSandbox?.() ?? true });
      const lines = [trouble, hint, output].filter((text) => text !== null && text !== '');
      return fail(lines.join('\n'), extra);
    },
  });
}

/** For tool lists created before the shell is known. */
export const bash = createBash();

function streamsOf({ stdout, stderr }: CommandOutcome): string {
  return stripVTControlCharacters(stdout + (stderr === '' ? '' : `\n[stderr]\n${stderr}`));
}

function stillRunning(id: string, limit: number): string {
  return (
    `Still running after ${limit} ms, so it continues in the background as ${id}. Do not start it again: ` +
    'wait for it with BashOutput and wait_ms, or stop it with KillShell. Its output so far:'
  );
}

type TimeLimits = { asked: number; limit: number; maxTimeoutMs: number };

function troubleOf({ exitCode, signal, timedOut }: CommandOutcome, limits: TimeLimits): string | null {
  if (timedOut) return `Timed out after ${limits.limit} ms and was stopped. ${longer(limits)}`;
  if (exitCode === null) return `Killed by signal ${signal}`;
  return exitCode === 0 ? null : `Exit code ${exitCode}`;
}

function longer({ asked, limit, maxTimeoutMs }: TimeLimits): string {
  if (limit < maxTimeoutMs)
    return `If it needs longer, pass a larger timeout (at most ${maxTimeoutMs}) or set run_in_background.`;
  const lowered = asked > limit ? `Your timeout of ${asked} was reduced to it. ` : '';
  return `That is the maximum. ${lowered}If it needs longer, set run_in_background.`;
}
