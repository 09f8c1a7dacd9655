import { type HookEvent, hookEvents } from '../../contract/hook-event.ts';

/** One entry of the settings, in our format or that of other assistants, where times are in seconds. */
export type HookRow = {
  matcher?: string;
  command?: string;
  timeoutMs?: number;
  hooks?: readonly NestedHook[];
};

type NestedHook = {
  type?: 'command' | 'http';
  command?: string;
  args?: readonly string[];
  async?: boolean;
  url?: string;
  headers?: Readonly<Record<string, string>>;
  allowedEnvVars?: readonly string[];
  timeout?: number;
  if?: string;
  once?: boolean;
};

export type HookRows = Readonly<Partial<Record<HookEvent, readonly HookRow[]>>>;

/** The plugin that hooks come from: its name and its folder. */
export type HookOrigin = { plugin: string; root: string };

/** What to run: a command line, or a URL to send the input to. */
type HookTarget =
  | { type: 'command'; command: string; inBackground: boolean }
  | { type: 'http'; url: string; headers: Readonly<Record<string, string>>; variables: readonly string[] };

type HookLimits = {
  timeoutMs: number;
  once: boolean;
  /** A permission rule: it runs only for matching calls. */
  condition?: string;
};

export type HookHandler = HookTarget & HookLimits & { matcher: string; origin?: HookOrigin };

export type HookHandlers = Readonly<Record<HookEvent, readonly HookHandler[]>>;

const OWN_MS = 60_000;
/** What others are used to. */
const NESTED_MS = { command: 600_000, http: 30_000 };

/** The hooks of the settings and of plugins, in this order; each once for an event and matcher. */
export function handlersOf(sources: readonly { rows: HookRows; origin?: HookOrigin }[]): HookHandlers {
  const listed = hookEvents.map((event): [HookEvent, HookHandler[]] => [
    event,
    sources.flatMap(({ rows, origin }) => (rows[event] ?? []).flatMap((row) => handlersIn(row, origin))),
  ]);
  return Object.fromEntries(listed) as Record<HookEvent, HookHandler[]>;
}

function handlersIn(
  { matcher = '', command, timeoutMs = OWN_MS, hooks = [] }: HookRow,
  origin?: HookOrigin,
): HookHandler[] {
  const shared = { matcher, ...(origin && { origin }) };
  const own = { ...shared, type: 'command' as const, timeoutMs, once: false, inBackground: false };
  return [
    ...(command === undefined ? [] : [{ ...own, command }]),
    ...hooks.map((hook) => ({ ...shared, ...nestedHandler(hook) })),
  ];
}

function nestedHandler(hook: NestedHook): HookTarget & HookLimits {
  const { type = 'command', timeout, if: condition, once = false } = hook;
  const shared = {
    timeoutMs: timeout === undefined ? NESTED_MS[type] : timeout * 1000,
    once,
    ...(condition !== undefined && { condition }),
  };
  if (type === 'http') {
    const { url = '', headers = {}, allowedEnvVars = [] } = hook;
    return { ...shared, type, url, headers, variables: allowedEnvVars };
  }
  const { command = '', args, async: inBackground = false } = hook;
  // With arguments, the command is a program and not a line for the shell.
  const line = args ? [command, ...args].map(quoted).join(' ') : command;
  return { ...shared, type, command: line, inBackground };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** The command or the URL, for people. */
export function targetOf(handler: HookHandler): string {
  return handler.type === 'http' ? handler.url : handler.command;
}

/**
 * As in Claude Code: names separated by `|` or `,` are compared as they are, anything else is a regular
 * expression that may match a part. `names` are the names of one thing.
 */
export function isMatched(matcher: string, names: readonly string[]): boolean {
  if (matcher === '' || matcher === '*') return true;
  if (/^[\w\s:,|-]+$/.test(matcher)) return matcher.split(/[|,]/).some((name) => names.includes(name.trim()));
  const pattern = new RegExp(matcher);
  return names.some((name) => pattern.test(name));
}
