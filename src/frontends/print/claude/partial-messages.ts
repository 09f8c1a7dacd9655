import type { AgentEvent } from '../../../contract/event.ts';
import type { ClaudeReply, ContentBlock, PartialEvent } from './types.ts';

/**
 * Turns the pieces of a reply into the events of the Messages API. The text of a reply arrives in pieces; its
 * calls are known as a whole at its end.
 */
export class PartialMessages {
  #open: 'text' | 'thinking' | null = null;
  #index = -1;
  #started = false;

  *piece(
    event: Extract<AgentEvent, { type: 'text' | 'thinking' }>,
    empty: () => ClaudeReply,
  ): Generator<PartialEvent> {
    yield* this.#begin(empty);
    if (this.#open !== event.type) {
      yield* this.#close();
      this.#open = event.type;
      this.#index++;
      const content_block: ContentBlock =
        event.type === 'text'
          ? { type: 'text', text: '', citations: null }
          : { type: 'thinking', thinking: '', signature: '' };
      yield { type: 'content_block_start', index: this.#index, content_block };
    }
    const delta =
      event.type === 'text'
        ? { type: 'text_delta' as const, text: event.text }
        : { type: 'thinking_delta' as const, thinking: event.text, estimated_tokens: null };
    yield { type: 'content_block_delta', index: this.#index, delta };
  }

  /** The rest of a reply that has arrived. */
  *end(reply: ClaudeReply): Generator<PartialEvent> {
    yield* this.#begin(() => ({ ...reply, content: [], stop_reason: null }));
    yield* this.#close();
    for (const block of reply.content) {
      if (block.type !== 'tool_use') continue;
      const index = ++this.#index;
      yield { type: 'content_block_start', index, content_block: { ...block, input: {} } };
      const delta = { type: 'input_json_delta' as const, partial_json: JSON.stringify(block.input) };
      yield { type: 'content_block_delta', index, delta };
      yield { type: 'content_block_stop', index };
    }
    const { stop_reason, stop_sequence, stop_details, container, context_management, usage } = reply;
    const delta = { stop_reason, stop_sequence, stop_details, container };
    yield { type: 'message_delta', delta, context_management, usage };
    yield { type: 'message_stop' };
    this.#index = -1;
    this.#started = false;
  }

  *#begin(empty: () => ClaudeReply): Generator<PartialEvent> {
    if (this.#started) return;
    this.#started = true;
    yield { type: 'message_start', message: empty() };
  }

  *#close(): Generator<PartialEvent> {
    if (this.#open !== null) yield { type: 'content_block_stop', index: this.#index };
    this.#open = null;
  }
}
