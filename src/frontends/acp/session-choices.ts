import type { Opened } from '../../app/open-assistant.ts';
import type { SessionOptions } from '../../app/options.ts';
import { isEffort } from '../../contract/request/effort.ts';
import type { SessionChoices } from '../../contract/session.ts';
import { isMode, isSandboxLevel } from './config-options.ts';

/**
 * What was chosen for a session, saved with it, so that it still applies when the session is opened again. A session
 * without messages leaves no file: its choices wait for the first one.
 */
export class KeptChoices {
  #waiting = false;

  async note({ controller, opened, config }: Opened, chosen: SessionChoices): Promise<void> {
    const { session } = controller;
    if (Object.keys(chosen).length === 0) return;
    session.choices = { ...session.choices, ...chosen };
    if (!config.saveHistory) return;
    this.#waiting = session.messages.length === 0;
    if (this.#waiting) return;
    try {
      await opened.journal.append({ type: 'choices', choices: chosen });
    } catch (error) {
      controller.notice('warn', `This choice could not be saved: ${(error as Error).message}`);
    }
  }

  messageAdded(to: Opened): void {
    if (!this.#waiting) return;
    this.#waiting = false;
    void this.note(to, to.controller.session.choices ?? {});
  }
}

/** The choices in a session's file, as options; those of a newer version are left out. */
export function optionsOf({ model, mode, effort, sandbox }: SessionChoices): Partial<SessionOptions> {
  return {
    ...(model !== undefined && { model }),
    ...(mode !== undefined && isMode(mode) && { mode }),
    ...(effort !== undefined && (effort === 'default' || isEffort(effort)) && { effort }),
    ...(isSandboxLevel(sandbox) && { sandbox }),
  };
}

/** What of these options is chosen while a session is open, besides its mode and effort. */
export function choicesIn({ model, sandbox }: Partial<SessionOptions>): SessionChoices {
  return { ...(model !== undefined && { model }), ...(sandbox !== undefined && { sandbox }) };
}
