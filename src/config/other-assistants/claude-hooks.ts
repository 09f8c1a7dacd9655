import { hookEvents } from '../../contract/hook-event.ts';
import { isObject } from '../../lib/text/json.ts';
import { didYouMean } from '../../lib/text/nearest.ts';
import { checkOnce } from '../schema/check-settings.ts';
import { hookEntry } from '../schema/hook-settings.ts';
import type { ConfigInput } from '../schema/schema.ts';

type HooksInput = NonNullable<ConfigInput['hooks']>;

/** `key` is its path, such as `PreToolUse[0].hooks[1]`. */
export type IgnoredHook = { key: string; note: string };

/** Keys of Claude Code without an effect here that also do no harm. */
const HARMLESS = ['asyncRewake', 'statusMessage', 'shell'];

/**
 * The `hooks` of a settings file or a plugin of Claude Code. What cannot run here is left out and listed; the
 * rest applies.
 */
export function readClaudeHooks(value: unknown): { hooks: HooksInput; ignored: IgnoredHook[] } {
  const ignored: IgnoredHook[] = [];
  if (!isObject(value)) {
    if (value !== undefined) ignored.push({ key: '', note: 'It is not a table of events.' });
    return { hooks: {}, ignored };
  }
  const reader = { schema: hookEntry(), ignored };
  const hooks: Record<string, unknown[]> = {};
  for (const [event, entries] of Object.entries(value)) {
    if (!hookEvents.some((known) => known === event))
      ignored.push({ key: event, note: `Hooks are not run at this event.${didYouMean(event, hookEvents)}` });
    else if (!Array.isArray(entries)) ignored.push({ key: event, note: 'It is not a list.' });
    else hooks[event] = entries.flatMap((entry, i) => readEntry(entry, `${event}[${i}]`, reader));
  }
  // Each entry was checked.
  return { hooks: hooks as HooksInput, ignored };
}

type Reader = { schema: ReturnType<typeof hookEntry>; ignored: IgnoredHook[] };

function readEntry(entry: unknown, key: string, { schema, ignored }: Reader): unknown[] {
  if (!isObject(entry) || !Array.isArray(entry.hooks)) {
    ignored.push({ key, note: 'It has no list of hooks.' });
    return [];
  }
  const { matcher, hooks } = entry;
  return hooks.flatMap((hook: unknown, i) => {
    const at = `${key}.hooks[${i}]`;
    const note = hookProblem(hook);
    const known = isObject(hook) ? knownKeys(hook, at, ignored) : hook;
    const row = { ...(matcher !== undefined && matcher !== null && { matcher }), hooks: [known] };
    const issue = note ?? schema.safeParse(row, checkOnce).error?.issues[0]?.message;
    if (issue === undefined) return [row];
    ignored.push({ key: at, note: issue });
    return [];
  });
}

function hookProblem(hook: unknown): string | null {
  if (!isObject(hook)) return 'It is not a hook.';
  const { type = 'command', shell = 'bash' } = hook;
  if (shell !== 'bash') return `Hooks do not run in ${String(shell)}. Start it in the command.`;
  if (type === 'command' || type === 'http') return null;
  return `Hooks of the type ${String(type)} are not run. Use a command.`;
}

const KEYS = [
  'type',
  'command',
  'args',
  'async',
  'url',
  'headers',
  'allowedEnvVars',
  'timeout',
  'if',
  'once',
];

function knownKeys(
  hook: Record<string, unknown>,
  key: string,
  ignored: IgnoredHook[],
): Record<string, unknown> {
  const others = Object.keys(hook).filter((name) => !KEYS.includes(name) && !HARMLESS.includes(name));
  const isRun = hookProblem(hook) === null;
  if (isRun && others.length > 0) ignored.push({ key, note: `${others.join(', ')}: no effect here.` });
  return Object.fromEntries(Object.entries(hook).filter(([name]) => KEYS.includes(name)));
}
