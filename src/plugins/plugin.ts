import type { SlashCommand } from '../contract/command.ts';
import type { Message, ToolCall } from '../contract/message.ts';
import type { Session } from '../contract/session.ts';
import type { Tool, ToolContext, ToolResult } from '../contract/tool.ts';
import { isObject } from '../lib/text/json.ts';

/** A tool in its shortest form. The model and the user see it as `plugin:name`. */
export type PluginTool = {
  name: string;
  /** For the model: what it does and when to use it. */
  description: string;
  /** JSON Schema of an object. */
  parameters: Record<string, unknown>;
  /** Whether the user is asked before a call. Default: always. The user's own rules take precedence. */
  requiresApproval?: boolean | ((params: Record<string, unknown>) => boolean);
  /** Whether it changes nothing, so that it may be used in plan and read-only mode. Default: no. */
  readOnly?: boolean;
  /** A string counts as success. Thrown errors are reported to the model. */
  execute(
    params: Record<string, unknown>,
    context: ToolContext,
  ): Promise<ToolResult | string> | ToolResult | string;
};

type Maybe<T> = T | undefined | Promise<T | undefined>;

/**
 * Each has 10 seconds. A hook that throws is reported to the user and ignored; one that hangs is not called
 * again.
 */
export type PluginHooks = {
  /** Before the first prompt of a new or resumed session. */
  onSessionStart?(session: Session): void | Promise<void>;
  /**
   * Before a call is judged. Returns the call with another input, or `null` or `{ block: reason }` to refuse
   * it; `undefined` leaves it unchanged. A changed input is validated and judged like any other.
   */
  onBeforeToolCall?(call: ToolCall): Maybe<ToolCall | { block: string } | null>;
  /** After a call that ran. */
  onAfterToolCall?(call: ToolCall, result: ToolResult): void | Promise<void>;
  /** Before a message is saved. Returns it with other texts, or nothing to leave it unchanged. */
  onMessage?(message: Message): Maybe<Message>;
};

/** The default export of a plugin's module. */
export type Plugin = {
  /** Letters, digits, `.`, `_` and `-`. */
  name: string;
  version: string;
  tools?: readonly (PluginTool | Tool)[];
  hooks?: PluginHooks;
  /** Typed by the user as `/name`. */
  commands?: readonly SlashCommand[];
};

/** For types in an editor; returns the plugin unchanged. */
export function definePlugin(plugin: Plugin): Plugin {
  return plugin;
}

const NAME = /^[a-zA-Z0-9][\w.-]{0,63}$/;
const HOOKS: readonly (keyof PluginHooks)[] = [
  'onSessionStart',
  'onBeforeToolCall',
  'onAfterToolCall',
  'onMessage',
];

/** The plugin that a module exports; or a message that says why it is not one. */
export function checkPlugin(value: unknown): Plugin | string {
  if (!isObject(value))
    return 'Its default export is not a plugin: { name, version, tools, hooks, commands }.';
  const { name, version, tools = [], hooks = {}, commands = [] } = value;
  if (typeof name !== 'string' || !NAME.test(name))
    return 'Its name may contain only letters, digits, ".", "_" and "-".';
  if (typeof version !== 'string' || version === '') return 'It has no version.';
  if (!Array.isArray(tools) || !tools.every(isTool))
    return 'Its tools must each have a name, a description, parameters and an execute function.';
  if (!isObject(hooks)) return 'Its hooks must be an object of functions.';
  const wrong = Object.entries(hooks).find(([key, hook]) => !isHook(key) || typeof hook !== 'function');
  if (wrong) return `It has an unknown hook ${wrong[0]}; the hooks are ${HOOKS.join(', ')}.`;
  if (!Array.isArray(commands) || !commands.every(isCommand))
    return 'Its commands must each have a lowercase name, a description and an execute function.';
  // Validated above, as far as possible.
  return value as Plugin;
}

function isHook(key: string): boolean {
  return HOOKS.some((name) => name === key);
}

function isTool(value: unknown): boolean {
  if (!isObject(value) || typeof value.name !== 'string' || !/^[\w.-]{1,64}$/.test(value.name)) return false;
  if (typeof value.description !== 'string') return false;
  const isFull =
    isObject(value.input) && typeof value.run === 'function' && typeof value.access === 'function';
  return isFull || (isObject(value.parameters) && typeof value.execute === 'function');
}

function isCommand(value: unknown): boolean {
  return (
    isObject(value) &&
    /^[a-z][\w-]*$/.test(String(value.name)) &&
    typeof value.description === 'string' &&
    typeof value.execute === 'function'
  );
}
