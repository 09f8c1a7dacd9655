import { Conversation } from '../../frontends/plain/line-terminal.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';

/** Asks a question on the terminal where only an explicit yes counts. */
export async function confirm(question: string, terminal: Terminal): Promise<boolean> {
  const talk = new Conversation(terminal);
  try {
    return (await talk.ask(`${question} [y/n] `))?.trim().toLowerCase() === 'y';
  } finally {
    talk.close();
  }
}
