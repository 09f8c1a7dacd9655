import type { SlashCommand } from '../../contract/command.ts';
import { UserError } from '../../contract/errors.ts';
import { type UserMessage, withTyped } from '../../contract/message.ts';
import { raceAbort } from '../../lib/async/abort.ts';
import { plainCopy, thrownMessage } from '../../plugins/plain-copy.ts';

/** A plugin command that throws or never ends fails alone, without affecting the conversation. */
export function safeCommand(plugin: string, command: SlashCommand): SlashCommand['execute'] {
  return async (words, context) => {
    const submit: typeof context.submit = (content, options) =>
      context.submit(withTyped(promptOf(content), words.join(' ')), options);
    // Keeps the getters of the context.
    const own = Object.create(context, { submit: { value: submit } }) as typeof context;
    try {
      await raceAbort(
        Promise.resolve().then(() => command.execute(words, own)),
        context.signal,
      );
    } catch (error) {
      if (error instanceof UserError || context.signal.aborted) throw error;
      throw new UserError(
        `/${command.name} failed: ${thrownMessage(error)}.`,
        `It comes from the plugin ${plugin}.`,
      );
    }
  };
}

/** The content that a plugin's command submits, if it is a valid prompt. */
function promptOf(content: unknown): UserMessage['content'] {
  const parts = plainCopy(content);
  const isText = (part: Record<string, unknown>) => part.type === 'text' && typeof part.text === 'string';
  const isImage = (part: Record<string, unknown>) =>
    part.type === 'image' && typeof part.mediaType === 'string' && typeof part.data === 'string';
  if (
    !Array.isArray(parts) ||
    parts.length === 0 ||
    !parts.every((part) => part && (isText(part) || isImage(part)))
  )
    throw new Error('submit expects a list of texts and images');
  // Validated above.
  return parts as UserMessage['content'];
}
