import type { Message, TextPart, ToolCall } from '../contract/message.ts';
import type { Session } from '../contract/session.ts';
import type { ToolResult } from '../contract/tool.ts';
import { raceAbort } from '../lib/abort.ts';
import type { LoadedPlugin } from './load.ts';
import type { PluginHooks } from './plugin.ts';

/** What becomes of a call before it is judged. */
type BeforeCall = { type: 'go'; input: unknown } | { type: 'block'; by: string; because: string };

export type HookRunner = {
  sessionStart(session: Session): Promise<void>;
  beforeCall(call: ToolCall): Promise<BeforeCall>;
  afterCall(call: ToolCall, result: ToolResult): Promise<void>;
  message<M extends Message>(message: M): Promise<M>;
};

export type HookRunnerOptions = { notice(text: string): void; timeoutMs?: number };

const HOOK_MS = 10_000;

/** Asks the plugins in their order, each about what those before it left. */
export function createPluginHooks(
  plugins: readonly Pick<LoadedPlugin, 'name' | 'hooks'>[],
  { notice, timeoutMs = HOOK_MS }: HookRunnerOptions,
): HookRunner {
  const off = new Set<string>();
  const told = new Set<string>();

  /** Null when the plugin has nothing to say, or failed to. */
  async function ask<Name extends keyof PluginHooks, Answer>(
    { name, hooks }: Pick<LoadedPlugin, 'name' | 'hooks'>,
    hook: Name,
    call: (asked: NonNullable<PluginHooks[Name]>) => Answer | Promise<Answer>,
  ): Promise<{ answer: Answer } | null> {
    const asked = hooks[hook];
    const key = `${name} ${hook}`;
    if (!asked || off.has(key)) return null;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    try {
      return {
        answer: await raceAbort(
          Promise.resolve().then(() => call(asked)),
          late.signal,
        ),
      };
    } catch (error) {
      if (late.signal.aborted) off.add(key);
      const trouble = late.signal.aborted
        ? `did not answer within ${timeoutMs / 1000} s and is not asked any more`
        : `failed: ${error instanceof Error ? error.message : String(error)}`;
      if (!told.has(key + trouble)) notice(`The plugin ${name}: ${hook} ${trouble}.`);
      told.add(key + trouble);
      return null;
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    async sessionStart(session) {
      for (const plugin of plugins)
        await ask(plugin, 'onSessionStart', (hook) => hook({ ...session, messages: [...session.messages] }));
    },

    async beforeCall({ id, name, input: sent }) {
      let input = sent;
      for (const plugin of plugins) {
        const asked = await ask(plugin, 'onBeforeToolCall', (hook) => hook({ id, name, input: copy(input) }));
        const answer = asked?.answer;
        if (answer === null || (answer && 'block' in answer)) {
          const reason = answer === null ? '' : String(answer.block).trim();
          const because = `the plugin ${plugin.name} refuses it${reason === '' ? '' : `: ${reason}`}`;
          return { type: 'block', by: `plugin ${plugin.name}`, because };
        }
        if (answer && 'input' in answer) input = copy(answer.input);
      }
      return { type: 'go', input };
    },

    async afterCall(call, result) {
      for (const plugin of plugins)
        await ask(plugin, 'onAfterToolCall', (hook) => hook(copy(call), copy(result)));
    },

    async message(message) {
      let current = message;
      for (const plugin of plugins) {
        const asked = await ask(plugin, 'onMessage', (hook) => hook(copy(current)));
        const answer = asked?.answer;
        if (!answer) continue;
        const changed = withTextsOf(current, answer);
        if (changed === null)
          notice(`The plugin ${plugin.name}: onMessage returned no message; it is left as it was.`);
        else current = changed;
      }
      return current;
    },
  };
}

/**
 * The message with another's texts in the place of its own. Calls, thoughts and images stay: a vendor checks what it
 * has signed, and every call needs its answer. Null when the other is no message of this role.
 */
function withTextsOf<M extends Message>(message: M, other: Message): M | null {
  if (other.role !== message.role || !Array.isArray(other.content)) return null;
  const texts = other.content.flatMap((part): TextPart[] =>
    part?.type === 'text' && typeof part.text === 'string' ? [{ type: 'text', text: part.text }] : [],
  );
  if (texts.length === 0 && other.content.length > 0) return message;
  // The first text of ours stands for all of theirs; the kinds of parts a role has stay what they were.
  const at = message.content.findIndex(({ type }) => type === 'text');
  const rest = message.content.filter(({ type }) => type !== 'text');
  const before =
    at === -1 ? rest.length : message.content.slice(0, at).filter(({ type }) => type !== 'text').length;
  const content = [...rest.slice(0, before), ...texts, ...rest.slice(before)];
  return content.length === 0 ? message : { ...message, content };
}

/** A plugin that changes what it was handed changes a copy. */
function copy<T>(value: T): T {
  return structuredClone(value);
}
