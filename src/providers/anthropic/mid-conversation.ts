/**
 * The models that take `role: "system"` messages in the middle of a conversation, and tool changes in them, according to
 * the vendor's page on mid-conversation system messages: Opus from 4.8, Sonnet and Haiku from 5.5, Fable and Mythos.
 */
const TAKING = /claude-(?:opus-(?:4-8|5)|sonnet-5-5|haiku-5-5|fable-5|mythos-5)(?!\d)/;

export function takesSystemMessages(model: string): boolean {
  return TAKING.test(model.replaceAll('.', '-'));
}

/** The betas that a request needs for what its messages contain. */
export const TOOL_CHANGES = ['mid-conversation-tool-changes-2026-07-01', 'inline-tools-2026-09-15'];
