import type { AgentEvent } from '../contract/event.ts';

/** Files a call changed, according to its display; empty when it failed. */
export function changedFiles({
  display,
  success,
  metadata,
}: Extract<AgentEvent, { type: 'tool_end' }>): string[] {
  if (!success) return [];
  const changed = display?.kind === 'diff' ? [display] : display?.kind === 'diffs' ? display.diffs : [];
  // Metadata differs per tool; Delete names the file.
  const deleted = typeof metadata?.deleted === 'string' ? [metadata.deleted] : [];
  return [...changed.map((diff) => diff.path), ...deleted];
}
