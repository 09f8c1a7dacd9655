import type { ContentBlock } from '@agentclientprotocol/sdk';

/** A prompt that is being written. */
export type PromptDraft = { text: string; attachments: readonly ContentBlock[] };

export const emptyDraft: PromptDraft = { text: '', attachments: [] };

export function isEmpty({ text, attachments }: PromptDraft): boolean {
  return text.trim() === '' && attachments.length === 0;
}

export function blocksOf({ text, attachments }: PromptDraft): ContentBlock[] {
  const trimmed = text.trim();
  return [...(trimmed === '' ? [] : [{ type: 'text' as const, text: trimmed }]), ...attachments];
}

/** What the editor or somebody else adds, in a line of its own unless the draft is empty. */
export function withAdded(
  draft: PromptDraft,
  added: { text?: string; attachments?: readonly ContentBlock[] },
): PromptDraft {
  const gap = draft.text === '' || /\s$/.test(draft.text) ? '' : '\n';
  return {
    text: added.text ? `${draft.text}${gap}${added.text}` : draft.text,
    attachments: [...draft.attachments, ...(added.attachments ?? [])],
  };
}
