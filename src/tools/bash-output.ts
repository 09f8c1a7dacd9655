import { stripVTControlCharacters } from 'node:util';
import * as z from 'zod';
import { type BackgroundState, defineTool, fail, ok, type Shell } from '../contract/tool.ts';
import { pause } from '../lib/async/abort.ts';

const MAX_WAIT_MS = 30_000;
const POLL_MS = 50;

export const bashOutput = defineTool({
  name: 'BashOutput',
  aliases: ['get_command_output', 'read_shell_output', 'shell_output', 'check_command'],
  description:
    'Get the output of a background command since your last call, and whether it is still running. ' +
    'It returns immediately; use wait_ms to wait for new output instead of polling.',
  input: () =>
    z.object({
      id: z.string().describe('The id Bash returned, such as bg_1'),
      wait_ms: z
        .number()
        .int()
        .min(0)
        .max(MAX_WAIT_MS)
        .default(0)
        .describe('How long to wait for new output or for the command to end'),
    }),

  title: ({ id }) => `BashOutput ${id}`,
  access: () => [],

  async run({ id, wait_ms }, { shell, signal }) {
    const state = await waitForNews(shell, { id, waitMs: wait_ms, signal });
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

type Wait = { id: string; waitMs: number; signal: AbortSignal };

async function waitForNews(shell: Shell, { id, waitMs, signal }: Wait): Promise<BackgroundState | null> {
  const deadline = Date.now() + waitMs;
  for (;;) {
    const state = shell.check(id);
    if (!state?.running || state.newOutput !== '' || Date.now() >= deadline) return state;
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
