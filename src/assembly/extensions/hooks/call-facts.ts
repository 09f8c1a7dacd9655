import { homedir } from 'node:os';
import { projectRoot } from '../../../config/trust.ts';
import type { HookEvent } from '../../../contract/hook-event.ts';
import type { ToolCall } from '../../../contract/message.ts';
import type { Access } from '../../../contract/permission.ts';
import { isMcpTool, otherNamesOf, wireNameOf } from '../../../permissions/pattern/tool-names.ts';
import { matchesAccess, parsePattern, restrictsCall } from '../../../permissions/pattern.ts';
import { loadGrammar } from '../../../permissions/shell/grammar.ts';

/** What a hook is told about a call. */
export function callFacts({ id, name, input }: ToolCall): Record<string, unknown> {
  return { tool_name: hookName(name), tool_input: input, tool_use_id: id };
}

/** The name of a tool as hooks of other assistants know it. */
function hookName(tool: string): string {
  return isMcpTool(tool) ? wireNameOf(tool) : tool;
}

/** Tools that do the same as one that hooks of other assistants know. */
const DOES: Readonly<Record<string, readonly string[]>> = {
  MultiEdit: ['Edit'],
  RenameSymbol: ['Edit'],
  Search: ['Grep'],
  Explore: ['Task', 'Agent'],
};
/** Hooks that check a change before it is made also check a deletion. */
const CHECKS_DELETION: readonly HookEvent[] = ['PreToolUse', 'PermissionRequest'];

/** The names that a matcher may use for a tool, beside that in the input of the hook. */
export function otherHookNames(tool: string, event: HookEvent): string[] {
  return [
    ...(isMcpTool(tool) ? [tool] : otherNamesOf(tool)),
    ...(DOES[tool] ?? []),
    ...(tool === 'Delete' && CHECKS_DELETION.includes(event) ? ['Edit', 'Write'] : []),
  ];
}

/** A call, what it would access, and the folder it would run in. */
export type CallAbout = { call: ToolCall; accesses: readonly Access[]; cwd: string };

/** Whether a call matches a permission rule, in its wider meaning. Text that is not a rule matches all. */
export async function callMeets(rule: string, { call, accesses, cwd }: CallAbout): Promise<boolean> {
  const { name: tool, input } = call;
  const pattern = unlessBroken(rule);
  if (!pattern) return true;
  await loadGrammar();
  const place = { cwd, root: projectRoot(cwd), home: homedir(), isInside: () => true };
  if (accesses.length === 0) return restrictsCall(pattern, tool, input);
  return accesses.some((access) => matchesAccess(pattern, { ...place, tool, access }, 'restrict'));
}

function unlessBroken(rule: string): ReturnType<typeof parsePattern> | null {
  try {
    return parsePattern(rule);
  } catch {
    return null;
  }
}
