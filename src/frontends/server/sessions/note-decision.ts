import type { Opened } from '../../../app/open-assistant.ts';
import type { CallDecision } from '../../../contract/session.ts';

/** Saves who answered the question about a call, with the conversation. */
export async function noteDecision(
  { controller, opened, config }: Opened,
  callId: string,
  decision: CallDecision,
): Promise<void> {
  const { session } = controller;
  session.decisions = { ...session.decisions, [callId]: decision };
  if (!config.saveHistory) return;
  try {
    await opened.journal.append({ type: 'decision', callId, ...decision });
  } catch (error) {
    controller.notice('warn', `Who approved a call could not be saved: ${(error as Error).message}`);
  }
}
