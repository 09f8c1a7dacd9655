import { offerUndo, type Voice } from '../../../commands/offer-undo.ts';
import type { CommandContext } from '../../../contract/command.ts';
import { undoPreview } from '../components/undo-preview.ts';
import type { Pickers } from './pickers.ts';

/** Previews the file changes in a dialog, and makes them after a yes. */
export function voiceOf({ cwd, print, confirm }: CommandContext, { show }: Pick<Pickers, 'show'>): Voice {
  return {
    cwd,
    print,
    confirm,
    offer: async (pending, question) => (await show(undoPreview({ pending, question, cwd }))) === true,
  };
}

export async function undoByPreview(context: CommandContext, desk: Pickers): Promise<void> {
  const pending = await context.files.undo();
  if (!pending) return context.print('Nothing to undo.');
  await offerUndo(pending, 'Undo this?', voiceOf(context, desk));
}

export async function redoByPreview(context: CommandContext, desk: Pickers): Promise<void> {
  const pending = await context.files.redo();
  if (!pending) return context.print('Nothing to redo.');
  await offerUndo(pending, 'Redo this?', voiceOf(context, desk));
}
