import { breakdown } from '../../context/breakdown.ts';
import type { ContextWindow } from '../../contract/command.ts';
import { textOf } from '../../contract/message.ts';
import type { Session } from '../../contract/session.ts';
import type { Compaction } from '../../contract/view.ts';
import { memoryIn } from '../../memory/block.ts';
import { estimateTokens } from '../../providers/models/estimate-tokens.ts';
import type { ConversationView, ViewDeps } from './conversation-view.ts';

/** In characters, for all pinned facts together: they are sent with every request. */
const MAX_PINNED = 8000;

export type PinnedWindow = ContextWindow & {
  /** Pinned facts that are not part of the conversation yet. */
  updates(): string | null;
};

/** What the user can see and change of the context window. */
export function createContextWindow(
  view: ConversationView,
  { session, answering, writer, epochs }: Pick<ViewDeps, 'session' | 'answering' | 'writer' | 'epochs'>,
  instructions: () => Promise<readonly { text: string }[]>,
): PinnedWindow {
  const unpinned: string[] = [];
  const pins = () => view.current().pins;
  return {
    pins,
    compact: (focus, signal) => view.compact(focus, signal),

    async use() {
      const { sent, tokens, scale } = await view.measure();
      const { model, account, contextWindow } = answering();
      const { system, vendorSummary, tools = [], messages } = sent;
      const compaction = view.current().compactions.at(-1);
      const written = vendorSummary ? (compaction?.summary ?? '') : '';
      const summary = [written, sent.summary ?? ''].filter((text) => text !== '').join('\n\n');
      const texts = (await instructions()).map(({ text }) => text).join('\n');
      const parts = breakdown(
        {
          system,
          instructions: texts,
          tools: JSON.stringify(tools),
          memory: messages
            .flatMap((message) => (message.role === 'user' ? [memoryIn(textOf(message))] : []))
            .join(''),
          summary,
          kept: compaction?.kept ?? '',
          messages,
        },
        {
          text: (text) => scale * estimateTokens({ model, system: text, messages: [] }),
          message: (message) => scale * estimateTokens({ model, system: '', messages: [message] }),
        },
      );
      const { compactAt } = view.limits();
      return {
        model,
        ...(account && { account }),
        window: contextWindow,
        total: tokens,
        compactAt,
        ...parts,
        ...(view.reasoningDropped > 0 && { reasoningDropped: view.reasoningDropped }),
      };
    },

    async uncompact() {
      const last = view.current().compactions.at(-1);
      if (!last) return null;
      const { tokens: before } = await view.measure();
      await writer.changeView({ type: 'uncompact', at: session.messages.length });
      await epochs.begin('uncompact');
      const { tokens: after } = await view.measure();
      return { before, after, by: last.by };
    },

    async refresh() {
      const { system, summary, tools } = await epochs.begin('refresh');
      const { model } = answering();
      const { tokens } = await view.measure();
      const prefix = estimateTokens({
        model,
        system,
        tools,
        messages: [],
        ...(summary !== undefined && { summary }),
      });
      return { prefix, tokens };
    },

    async pin(text) {
      const taken = pins().reduce((sum, pin) => sum + pin.length, 0);
      if (taken + text.length > MAX_PINNED)
        return `Pinned facts are limited to ${MAX_PINNED} characters in total, and ${taken} are used. Unpin something first.`;
      await writer.changeView({ type: 'pin_fact', text });
      return null;
    },

    async unpin(text) {
      await writer.changeView({ type: 'unpin_fact', text });
      unpinned.push(text);
    },

    updates() {
      const sentTexts = textsIn(session, view.current().compactions.at(-1));
      const lines = [
        ...pins()
          .filter((pin) => !sentTexts.some((text) => text.includes(pin)))
          .map((pin) => `[The user pinned this fact, keep it in mind: ${pin}]`),
        ...unpinned.splice(0).map((pin) => `[No longer pinned: ${pin}]`),
      ];
      return lines.length === 0 ? null : lines.join('\n');
    },
  };
}

/** Derived from the history, so that a pin set before the session was closed is sent after resuming. */
function textsIn({ messages }: Session, compaction: Compaction | undefined): string[] {
  const sent = messages.slice(compaction?.keepFrom ?? 0);
  const said = sent.flatMap((message) => (message.role === 'user' ? [textOf(message)] : []));
  return [compaction?.kept ?? '', ...said];
}
