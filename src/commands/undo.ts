import type { SlashCommand } from '../contract/command.ts';
import { offerUndo } from './offer-undo.ts';

export const undo: SlashCommand = {
  name: 'undo',
  description: 'Take back the file changes of the last run that made any; again, of the run before',
  async execute(include, context) {
    const pending = await context.files.undo();
    if (!pending) return context.print('Nothing to undo.');
    await offerUndo(pending, 'Undo this?', { ...context, include });
  },
};
