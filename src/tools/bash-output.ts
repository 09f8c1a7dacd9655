import { stripVTControlCharacters } from 'node:util';
import * as z from 'zod';
import { type BackgroundState, defineTool, fail, ok, type Shell } from '../contract/tool.ts';
import { pause } from '../lib/async/abort.ts';
import { adaptBashOutput } from './dialects/adapt-running.ts';
import { SHELL_ID_NAMES } from './dialects/names.ts';

const MAX_WAIT_MS = 600_000;
const POLL_MS = 50;

export const bashOutput = defineTool({
  name: 'BashOutput',
  aliases: [
    ...['get_command_output', 'read_shell_output', 'shell_output', 'check_command', 'command_status'],
    ...['task_output', 'write_stdin', 'get_terminal_output'],
  ],
  argumentAliases: {
    id: SHELL_ID_NAMES,
    wait_ms: ['timeout', 'timeout_ms', 'yield_time_ms', 'wait'],
    until: ['wait_for', 'until_pattern', 'wait_for_pattern'],
  },
  ignoredArguments: ['max_output_tokens', 'is_input'],
  onlyReads: true,
  results: 'output',
  adapt: adaptBashOutput,
  description:
    'Get the output of a background command since your last call, and whether it is still running. ' +
    'It returns immediately. Instead of polling, wait: wait_ms, until it ends or matches until.',
  input: () =>
    z.object({
      id: z.string().describe('The id Bash returned, such as bg_1'),
      wait_ms: z
        .number()
        .int()
        .min(0)
        .max(MAX_WAIT_MS)
        .default(0)
        .describe('How long to wait for the command to end'),
      until: z.string().min(1).optional().describe('Wait only until output matches this regular expression'),
    }),

  title: ({ id }) => `BashOutput ${id}`,
  access: () => [],

  async run({ id, wait_ms, until }, { shell, signal }) {
    const pattern = until === undefined ? null : patternOf(until);
    if (pattern === undefined)
      return fail(`until is not a regular expression: ${until}. Escape special characters.`);
    const waitMs = pattern && wait_ms === 0 ? USUAL_WAIT_MS : wait_ms;
    const state = await waitFor(shell, { id, waitMs, signal, pattern });
    if (!state) return fail(explainUnknownId(id, shell));
    const { command, running, exitCode, newOutput } = state;
    const output = stripVTControlCharacters(newOutput);
    return ok(`${statusOf(state)}\n${output === '' ? '(no new output)' : output}`, {
      display: { kind: 'text', text: output === '' ? statusOf(state) : output },
      metadata: { id, command, running, exitCode, signal: state.signal },
      ...(!running && { summary: { kind: 'exit', exitCode } }),
    });
  },
});

/** If only `until` is given. */
const USUAL_WAIT_MS = 30_000;

/** Undefined if it is none. */
function patternOf(text: string): RegExp | undefined {
  try {
    return new RegExp(text, 'm');
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

type Wait = { id: string; waitMs: number; signal: AbortSignal; pattern: RegExp | null };

/** Waits until the command ends, the time is over, or new output matches. */
async function waitFor(shell: Shell, { id, waitMs, signal, pattern }: Wait): Promise<BackgroundState | null> {
  const deadline = Date.now() + waitMs;
  let output = '';
  for (;;) {
    const state = shell.check(id);
    if (!state) return null;
    output += state.newOutput;
    const isFound = state.newOutput !== '' && pattern?.test(output);
    if (!state.running || isFound || Date.now() >= deadline) return { ...state, newOutput: output };
    await pause(Math.min(POLL_MS, deadline - Date.now()), signal);
  }
}

function statusOf({ id, running, exitCode, signal }: BackgroundState): string {
  if (running) return `${id} is running.`;
  return exitCode === null
    ? `${id} was killed by signal ${signal}.`
    : `${id} ended with exit code ${exitCode}.`;
}

export function explainUnknownId(id: string, shell: Shell): string {
  const ids = shell.background().map((one) => one.id);
  if (ids.length === 0) return `There is no ${id}: nothing was started in the background.`;
  return `There is no ${id}. Running in the background: ${ids.join(', ')}.`;
}
