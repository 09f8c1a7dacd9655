import { isDeepStrictEqual } from 'node:util';
import type { ProtocolName } from '../protocol.ts';

type SentCall = { name: string; input: unknown };

/** One reply as it was sent, for rules about what must come back. */
export type SentReply = {
  protocol: ProtocolName;
  model: string;
  text: string;
  thinking: string;
  calls: readonly SentCall[];
  /** What OpenAI calls the text: `commentary` before calls, else `final_answer`. */
  phase?: string;
  /** The reasoning as OpenRouter sends it. */
  reasoningDetails?: unknown[];
};

/** What one server sent. It outlives the clients, which may start anew and resume. */
export class SentReplies {
  /** A request was refused because its thinking is bound to another conversation: clients may remove it. */
  refusedThinking = false;
  private readonly replies: SentReply[] = [];
  private readonly trails = new Map<string, readonly string[]>();

  add(reply: SentReply): void {
    this.replies.push(reply);
  }

  /** The newest reply with these calls or, without any, with this text. Clients may rename ids. */
  find(calls: readonly SentCall[], text = ''): SentReply | undefined {
    const names = calls.map(({ name, input }) => ({ name, input }));
    return this.replies.findLast((reply) =>
      names.length === 0
        ? reply.calls.length === 0 && reply.text === text
        : isDeepStrictEqual(reply.calls, names),
    );
  }

  /** The newest reply with this text, whatever it called. */
  findText(text: string): SentReply | undefined {
    return this.replies.findLast((reply) => reply.text === text);
  }

  /** The digests after each message before one that is bound to them. */
  rememberTrail(messages: string, trail: readonly string[]): void {
    this.trails.set(messages, [...trail]);
  }

  trailOf(messages: string): readonly string[] | undefined {
    return this.trails.get(messages);
  }
}
