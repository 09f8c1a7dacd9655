import type { SlashCommand } from '../contract/command.ts';
import { offerUndo } from './offer-undo.ts';

export const undo: SlashCommand = {
  name: 'undo',
  forGuests: true,
  needs: 'user',
  description: 'Undo the file changes of the last run; repeat to go further back',
  async execute(include, context) {
    const pending = await context.files.undo();
    if (!pending) return context.print('Nothing to undo.');
    await offerUndo(pending, 'Undo this?', { ...context, include });
  },
};
