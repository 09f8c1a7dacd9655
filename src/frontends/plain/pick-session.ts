import { byLastUsed } from '../../app/opening/choose-session.ts';
import { sessionLines } from '../../commands/format/sessions.ts';
import { visible } from '../../lib/text/printable.ts';
import type { SessionStore } from '../../session/store.ts';
import type { Conversation } from './line-terminal.ts';

const OFFERED = 20;

/**
 * Lets the user select one of the latest sessions, of this folder if it has any. Null when none was selected.
 */
export async function pickSession(
  store: Pick<SessionStore, 'list'>,
  talk: Pick<Conversation, 'ask' | 'print'>,
  cwd: string,
): Promise<string | null> {
  const all = byLastUsed(store.list());
  const here = all.filter(({ workingDirectory }) => workingDirectory === cwd);
  const offered = (here.length > 0 ? here : all).slice(0, OFFERED);
  if (offered.length === 0) {
    talk.print('No sessions yet.');
    return null;
  }
  if (here.length === 0) talk.print('No sessions in this folder. Sessions in other folders:');
  for (const [i, line] of sessionLines(offered, { cwd }).entries())
    talk.print(`${String(i + 1).padStart(3)}.${visible(line)}`);
  for (;;) {
    const answer = (
      await talk.ask(`Resume which session? (1-${offered.length}, or Enter for a new one) `)
    )?.trim();
    if (!answer) return null;
    const chosen = /^\d+$/.test(answer) ? offered[Number(answer) - 1] : undefined;
    if (chosen) return chosen.id;
    talk.print(`${visible(answer)} is not in the list.`);
  }
}
