import type { Message, TextPart, ToolCall } from '../contract/message.ts';
import type { Session } from '../contract/session.ts';
import type { ToolResult } from '../contract/tool.ts';
import { raceAbort } from '../lib/async/abort.ts';
import type { LoadedPlugin } from './load.ts';
import { plainCopy, thrownMessage } from './plain-copy.ts';
import type { PluginHooks } from './plugin.ts';

/** The outcome for a call before it is judged. */
type BeforeCall = { type: 'go'; input: unknown } | { type: 'block'; by: string; because: string };

export type HookRunner = {
  sessionStart(session: Session): Promise<void>;
  beforeCall(call: ToolCall): Promise<BeforeCall>;
  afterCall(call: ToolCall, result: ToolResult): Promise<void>;
  message<M extends Message>(message: M): Promise<M>;
};

export type HookRunnerOptions = { notice(text: string): void; timeoutMs?: number };

const HOOK_MS = 10_000;

/** Calls the plugins in order, each with what the previous ones left. */
export function createPluginHooks(
  plugins: readonly Pick<LoadedPlugin, 'name' | 'hooks'>[],
  { notice, timeoutMs = HOOK_MS }: HookRunnerOptions,
): HookRunner {
  const off = new Set<string>();
  const reported = new Set<string>();

  /**
   * The plugin's answer as parsed by `read`; null if it has none, or failed. Nothing but what `read` returns
   * is used.
   */
  async function ask<Name extends keyof PluginHooks, Said>(
    { name, hooks }: Pick<LoadedPlugin, 'name' | 'hooks'>,
    hook: Name,
    { call, read }: { call(asked: NonNullable<PluginHooks[Name]>): unknown; read(answer: unknown): Said },
  ): Promise<Said | null> {
    const asked = hooks[hook];
    const key = `${name} ${hook}`;
    if (!asked || off.has(key)) return null;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    try {
      return read(
        await raceAbort(
          Promise.resolve().then(() => call(asked)),
          late.signal,
        ),
      );
    } catch (error) {
      if (late.signal.aborted) off.add(key);
      const trouble = late.signal.aborted
        ? `did not answer within ${timeoutMs / 1000}s and is now disabled`
        : `failed: ${thrownMessage(error)}`;
      if (!reported.has(key + trouble)) notice(`The plugin ${name}: ${hook} ${trouble}.`);
      reported.add(key + trouble);
      return null;
    } finally {
      clearTimeout(timer);
    }
  }

  const unread = () => null;

  return {
    async sessionStart(session) {
      for (const plugin of plugins)
        await ask(plugin, 'onSessionStart', {
          call: (hook) => hook({ ...session, messages: [...session.messages] }),
          read: unread,
        });
    },

    async beforeCall({ id, name, input: sent }) {
      let input = sent;
      for (const plugin of plugins) {
        const said = await ask(plugin, 'onBeforeToolCall', {
          call: (hook) => hook({ id, name, input: structuredClone(input) }),
          read: readBeforeCall,
        });
        if (said?.type === 'block') {
          const because = `blocked by the plugin ${plugin.name}${said.reason === '' ? '' : `: ${said.reason}`}`;
          return { type: 'block', by: `plugin ${plugin.name}`, because };
        }
        if (said) input = said.input;
      }
      return { type: 'go', input };
    },

    async afterCall(call, result) {
      for (const plugin of plugins)
        await ask(plugin, 'onAfterToolCall', {
          call: (hook) => hook(structuredClone(call), structuredClone(result)),
          read: unread,
        });
    },

    async message(message) {
      let current = message;
      for (const plugin of plugins) {
        const before = current;
        const changed = await ask(plugin, 'onMessage', {
          call: (hook) => hook(structuredClone(before)),
          read: (answer) =>
            answer === undefined || answer === null ? null : withTextsOf(before, plainCopy(answer)),
        });
        current = changed ?? current;
      }
      return current;
    },
  };
}

type SaidBefore = { type: 'change'; input: unknown } | { type: 'block'; reason: string };

/** Null leaves the call unchanged. A refusal counts whatever its reason looks like. */
function readBeforeCall(answer: unknown): SaidBefore | null {
  if (answer === undefined) return null;
  if (answer === null) return { type: 'block', reason: '' };
  if (typeof answer !== 'object' || Array.isArray(answer))
    throw new Error('it returned neither a call, nor null, nor { block }');
  if ('block' in answer) return { type: 'block', reason: reasonOf(answer) };
  return 'input' in answer ? { type: 'change', input: plainCopy(answer.input) } : null;
}

function reasonOf(answer: { block?: unknown }): string {
  try {
    return String(plainCopy(answer.block)).trim();
  } catch {
    return '';
  }
}

/**
 * The message with the texts of another. Calls, thinking and images stay: a vendor verifies what it has
 * signed, and every call needs its result. Throws if the other is not a message of this role.
 */
function withTextsOf<M extends Message>(message: M, other: unknown): M {
  const { role, content: theirs } = (other ?? {}) as { role?: unknown; content?: unknown };
  if (role !== message.role || !Array.isArray(theirs))
    throw new Error('it returned no message of that role, so nothing was changed');
  const ours = message.role === 'user' ? message.content.filter((part) => part.type === 'text') : [];
  const texts = theirs
    .flatMap((part: Partial<TextPart> | null) =>
      part?.type === 'text' && typeof part.text === 'string' ? [part.text] : [],
    )
    .map((text, i): TextPart => ours.find((part) => part.text === text) ?? changed(ours[i], text));
  if (texts.length === 0 && theirs.length > 0) return message;
  // The first text of ours is replaced by all of theirs; the other parts stay.
  const at = message.content.findIndex(({ type }) => type === 'text');
  const rest = message.content.filter(({ type }) => type !== 'text');
  const before =
    at === -1 ? rest.length : message.content.slice(0, at).filter(({ type }) => type !== 'text').length;
  const content = [...rest.slice(0, before), ...texts, ...rest.slice(before)];
  return content.length === 0 ? message : { ...message, content };
}

/** What the user typed does not grow by what a plugin adds to it. */
function changed(before: TextPart | undefined, text: string): TextPart {
  const { typed, origin, sent } = before ?? {};
  const words = typed === true ? before?.text : typed;
  return {
    type: 'text',
    text,
    ...(words !== undefined && { typed: words }),
    ...(origin && { origin }),
    ...(sent && { sent }),
  };
}
