import { limited } from '../../lib/async/abort.ts';
import type { HookHandler } from './handlers.ts';
import type { HookEnding } from './outcome.ts';

type HttpHandler = Extract<HookHandler, { type: 'http' }>;

export type HttpHookOptions = {
  fetch: typeof fetch;
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
};

const MAX_CHARACTERS = 1_000_000;

/**
 * Sends the input to a URL. The body of a successful answer means what the output of a command means; any
 * other answer is a failure.
 */
export async function postHook(
  { url, headers, variables, timeoutMs }: HttpHandler,
  input: string,
  { fetch, env, signal }: HttpHookOptions,
): Promise<HookEnding> {
  const timer = limited(timeoutMs, signal);
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...filled(headers, variables, env) },
      body: input,
      // Another address was not named by the user.
      redirect: 'error',
      signal: timer,
    });
    const body = (await answer.text()).slice(0, MAX_CHARACTERS);
    if (answer.ok) return { exitCode: 0, stdout: body, stderr: '', timedOut: false };
    throw new Error(`it answered with status ${answer.status}`);
  } catch (error) {
    if (timer.aborted && !signal.aborted) return { exitCode: null, stdout: '', stderr: '', timedOut: true };
    throw new Error(messageOf(error));
  }
}

/** `$NAME` and `${NAME}` are replaced, for the variables that the hook may use. */
function filled(
  headers: HttpHandler['headers'],
  variables: readonly string[],
  env: HttpHookOptions['env'],
): Record<string, string> {
  const value = (name: string) => (variables.includes(name) ? (env[name] ?? '') : '');
  return Object.fromEntries(
    Object.entries(headers).map(([name, text]) => [
      name,
      text.replaceAll(/\$(?:\{(\w+)\}|([A-Za-z_]\w*))/g, (_, braced?: string, bare?: string) =>
        value(braced ?? bare ?? ''),
      ),
    ]),
  );
}

/** What went wrong below `fetch failed`. */
function messageOf(error: unknown): string {
  const { message = String(error), cause } = (error ?? {}) as { message?: string; cause?: unknown };
  return cause instanceof Error && cause.message !== '' ? cause.message : message;
}
