import type { Surroundings } from '../../context/prompt/system-prompt.ts';
import { announcements, knownAfter, type ToolReach } from '../../context/surroundings.ts';
import type { TextPart } from '../../contract/message.ts';
import type { ToolDefinition } from '../../contract/request/tool-definition.ts';
import { CALL } from '../../mcp/tools/fixed-tools.ts';
import type { ConversationView } from './conversation-view.ts';
import type { Epochs } from './epochs.ts';

export type UpdatesDeps = {
  epochs: Pick<Epochs, 'current'>;
  view: Pick<ConversationView, 'shown'>;
  surroundings(): Promise<Surroundings>;
  /** Whether the model takes definitions of tools in the middle of a conversation. */
  takesToolChanges(): boolean;
  notice?(text: string): void;
};

/** What the next prompt tells the model of its surroundings: what differs from what it was told before. */
export function createUpdates(deps: UpdatesDeps): () => Promise<TextPart[]> {
  const { epochs, view, takesToolChanges, notice } = deps;
  const noticed = new Set<string>();

  function reachIn(tools: readonly ToolDefinition[]): ToolReach {
    if (tools.some(({ name }) => name === CALL)) return 'name';
    return takesToolChanges() ? 'definition' : 'none';
  }

  function reportUnreachable(names: readonly string[]): void {
    const fresh = names.filter((name) => !noticed.has(name));
    for (const name of fresh) noticed.add(name);
    if (fresh.length > 0)
      notice?.(`New MCP tools are available to the model after /refresh: ${fresh.join(', ')}.`);
  }

  return async () => {
    const epoch = epochs.current;
    // A new epoch states everything in its prefix.
    if (!epoch) return [];
    const known = knownAfter(epoch.stated, view.shown());
    const now = await deps.surroundings();
    const reach = reachIn(epoch.tools);
    if (reach === 'none')
      reportUnreachable(
        (now.serverTools ?? []).flatMap(({ name }) => (`tool:${name}` in known ? [] : [name])),
      );
    return announcements(known, now, reach);
  };
}
