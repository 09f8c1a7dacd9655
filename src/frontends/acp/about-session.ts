import { topicOf } from '../../app/conversation/topic.ts';
import type { Opened } from '../../app/open-assistant.ts';
import type { Client } from './client.ts';
import { availableCommands, sessionCommands } from './session-commands.ts';

/** Tells a client the title and the commands of a session, whenever they differ. */
export class AboutSession {
  readonly #client: Client;
  #commands = '';
  #title = '';
  /** Nothing is sent before the client knows the session. */
  #isKnown = false;

  constructor(client: Client) {
    this.#client = client;
  }

  begin(): void {
    this.#isKnown = true;
  }

  tellCommands({ extensions, mcp }: Opened): void {
    if (!this.#isKnown) return;
    const all = [...sessionCommands, ...extensions.commands(), ...(mcp?.commands() ?? [])];
    const commands = availableCommands(all);
    const text = JSON.stringify(commands);
    if (text === this.#commands) return;
    this.#commands = text;
    this.#client.update({ sessionUpdate: 'available_commands_update', availableCommands: commands });
  }

  tellTitle({ controller }: Opened): void {
    if (!this.#isKnown) return;
    const title = topicOf(controller.session);
    if (title === this.#title) return;
    this.#title = title;
    this.#client.update({ sessionUpdate: 'session_info_update', title, updatedAt: new Date().toISOString() });
  }
}
