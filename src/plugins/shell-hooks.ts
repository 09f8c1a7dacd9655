import { oneAtATime } from '../lib/async/one-at-a-time.ts';
import { type HookEnding, type HookOutcome, type HookPoint, outcomeOf } from './hook-outcome.ts';

/** One entry of the settings. */
type HookRow = {
  matcher?: string;
  command?: string;
  timeoutMs?: number;
  hooks?: readonly { command: string; timeout?: number }[];
};

export type HookSettings = Readonly<Record<HookPoint, readonly HookRow[]>>;

export type HookRun = { command: string; input: string; timeoutMs: number; signal: AbortSignal };

export type ShellHooksOptions = {
  hooks: HookSettings;
  /** Runs in the sandbox. */
  run(run: HookRun): Promise<HookEnding>;
  /** Passed to every hook, with the facts of the hook point. */
  facts(): Record<string, unknown>;
  notice(text: string): void;
};

/**
 * The combined outcome of all hooks of a point. The first that blocks, or stops the run, decides; one that
 * wants approval wins over those that allow.
 */
export type HookResult = {
  blocked: string | null;
  stopped: string | null;
  decision: { verdict: 'allow' | 'ask'; because: string } | null;
  context: string[];
  input?: Record<string, unknown>;
};

/**
 * `tool` is compared with matchers. `facts` may depend on the input, which an earlier hook may have changed.
 */
export type Firing = {
  tool?: string;
  facts(input: Record<string, unknown> | undefined): Record<string, unknown>;
  signal: AbortSignal;
};

export type ShellHooks = {
  has(point: HookPoint): boolean;
  fire(point: HookPoint, firing: Firing): Promise<HookResult>;
};

const HOOK_MS = 60_000;

/** The user's commands at certain points: one at a time, since each may change what the next one sees. */
export function createShellHooks({ hooks, run, facts, notice }: ShellHooksOptions): ShellHooks {
  const inTurn = oneAtATime();
  const named = new Set<string>();

  /** Once for each command. */
  function nameUnknown(point: HookPoint, command: string, unknown: readonly string[]): void {
    const fresh = unknown.filter((what) => !named.has(`${point} ${command} ${what}`));
    for (const what of fresh) named.add(`${point} ${command} ${what}`);
    if (fresh.length > 0)
      notice(
        `The ${point} hook \`${short(command)}\` printed ${fresh.join(', ')}: not supported there${fresh.some(isDecision) ? ', so you are asked' : ' and ignored'}.`,
      );
  }

  async function fireNow(point: HookPoint, { tool, facts: about, signal }: Firing): Promise<HookResult> {
    const result: HookResult = { blocked: null, stopped: null, decision: null, context: [] };
    for (const { command, timeoutMs } of commandsFor(hooks[point], tool)) {
      if (signal.aborted) return result;
      const payload = { ...facts(), hook_event_name: point, ...about(result.input) };
      const outcome = await run({ command, input: `${JSON.stringify(payload)}\n`, timeoutMs, signal }).then(
        (ending) => outcomeOf(point, ending),
        (error: unknown): HookOutcome => ({
          type: 'failed',
          because: String((error as Error)?.message ?? error),
        }),
      );
      if (outcome.type === 'failed') {
        if (!signal.aborted) notice(`The ${point} hook \`${short(command)}\` failed: ${outcome.because}.`);
        continue;
      }
      const { verdict, because, stops } = outcome;
      nameUnknown(point, command, outcome.unknown);
      if (outcome.context !== '') result.context.push(outcome.context);
      if (outcome.notice !== '') notice(outcome.notice);
      if (outcome.input) result.input = outcome.input;
      if (verdict === 'block' || stops !== null)
        return { ...result, blocked: verdict === 'block' ? because : null, stopped: stops };
      if (verdict === 'ask' || (verdict === 'allow' && result.decision === null))
        result.decision = { verdict, because };
    }
    return result;
  }

  return {
    has: (point) => hooks[point].length > 0,
    fire: (point, firing) => inTurn(() => fireNow(point, firing)),
  };
}

function commandsFor(
  rows: readonly HookRow[],
  tool: string | undefined,
): { command: string; timeoutMs: number }[] {
  return rows
    .filter(({ matcher }) => tool === undefined || matches(matcher, tool))
    .flatMap(({ command, timeoutMs = HOOK_MS, hooks = [] }) => [
      ...(command === undefined ? [] : [{ command, timeoutMs }]),
      ...hooks.map(({ command, timeout }) => ({
        command,
        timeoutMs: timeout === undefined ? timeoutMs : timeout * 1000,
      })),
    ]);
}

/** MCP tools are also matched by the name that other assistants use. */
function matches(matcher: string | undefined, tool: string): boolean {
  if (matcher === undefined || matcher === '' || matcher === '*') return true;
  const whole = new RegExp(`^(?:${matcher})$`);
  return whole.test(tool) || (tool.includes(':') && whole.test(`mcp__${tool.replace(':', '__')}`));
}

function isDecision(unknown: string): boolean {
  return unknown.startsWith('permissionDecision ');
}

function short(command: string): string {
  const [line = ''] = command.split('\n');
  return line.length > 60 ? `${line.slice(0, 60)}…` : line;
}
