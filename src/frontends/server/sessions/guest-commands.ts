import { commandsOf } from '../../../app/conversation/command-context.ts';
import type { Opened } from '../../../app/open-assistant.ts';
import { commandNamed } from '../../../commands/command-named.ts';
import { commandIn } from '../../../commands/dispatch.ts';
import { ownCommandIn } from '../../../commands/own-command.ts';
import type { CommandMeta } from '../../acp/session-commands.ts';
import type { Delivery } from './watch.ts';

/** Why a guest may not send this prompt; null if they may. */
export async function refusedToGuests(text: string, opened: Opened): Promise<string | null> {
  // A command may be one of theirs. All prompts wait, so that they stay in order.
  await opened.extensions.plugins();
  if (ownCommandIn(text) !== null) return 'Only the owner can run commands with !.';
  const typed = commandIn(text);
  const command = typed && commandNamed(typed.name, commandsOf(opened));
  return command && !command.forGuests ? `Only the owner can use /${command.name}.` : null;
}

/** What is sent to guests: without the commands that only the owner may use. */
export function forGuests(delivery: Delivery): Delivery {
  const { update } = delivery;
  if (update.sessionUpdate !== 'available_commands_update') return delivery;
  const availableCommands = update.availableCommands.filter(
    ({ _meta }) => !(_meta as CommandMeta | null | undefined)?.aca?.ownerOnly,
  );
  return { ...delivery, update: { ...update, availableCommands } };
}
