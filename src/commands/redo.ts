import type { SlashCommand } from '../contract/command.ts';
import { offerUndo } from './offer-undo.ts';

export const redo: SlashCommand = {
  name: 'redo',
  forGuests: true,
  needs: 'user',
  description: 'Redo the file changes of the last /undo or /rewind',
  async execute(_args, context) {
    const pending = await context.files.redo();
    if (!pending) return context.print('Nothing to redo.');
    await offerUndo(pending, 'Redo this?', context);
  },
};
