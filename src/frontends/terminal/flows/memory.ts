import { MEMORY_IS_OFF, outcome } from '../../../commands/memory.ts';
import type { CommandContext, Memory, RememberedNote } from '../../../contract/command.ts';
import { visibleText } from '../../../lib/text/visible-text.ts';
import { pickerDialog } from '../components/picker.ts';
import { textDialog } from '../components/text-dialog.ts';
import { rowsOf } from '../dialogs/look.ts';
import type { PickItem } from '../dialogs/picker.ts';
import type { Pickers } from './pickers.ts';

const ABOUT: Record<RememberedNote['kind'], string> = {
  user: 'about you',
  context: 'about this project',
  decisions: 'decision',
  learnings: 'learned',
  commands: 'command',
  corrections: 'proposed for AGENTS.md',
};

function noteItems(notes: readonly RememberedNote[]): PickItem[] {
  return notes.map(({ kind, text, date, pinned }, i) => ({
    id: String(i),
    label: text,
    detail: [ABOUT[kind], date, pinned ? 'pinned' : null].filter((fact) => fact !== null).join(' · '),
  }));
}

/** `/memory`: the notes, to edit, pin or delete, until the list is closed. */
export async function memoryByPicking({ memory, print }: CommandContext, desk: Pickers): Promise<void> {
  if (!memory) return print(MEMORY_IS_OFF);
  for (let told = ''; ; ) {
    const notes = memory.list();
    const picked = await desk.show(
      pickerDialog({
        title: told === '' ? 'Memory' : `Memory · ${told}`,
        none: `No memories yet. Save one with /remember TEXT. Files: ${memory.folder}.`,
        takes: 'edit',
        actions: [
          { key: 'p', does: 'pin or unpin', name: 'pin' },
          { key: 'f', does: 'forget', name: 'forget' },
        ],
        items: noteItems(notes),
        search: 'none',
        preview: (id, { columns, look }) =>
          rowsOf(`\n${visibleText(notes[Number(id)]?.text ?? '')}`, columns, look.quiet),
      }),
    );
    const note = picked ? notes[Number(picked.id)] : undefined;
    if (!picked || !note) return;
    told = await dealWith(note, picked.action, { memory, desk });
  }
}

type Hands = { memory: Memory; desk: Pickers };

async function dealWith(
  note: RememberedNote,
  action: string | null,
  { memory, desk }: Hands,
): Promise<string> {
  if (action === 'forget') return outcome(await memory.forget(note), 'Forgotten.');
  if (action === 'pin') {
    const done = note.pinned ? 'No longer pinned.' : 'Pinned: included in every session.';
    return outcome(await memory.pin(note, !note.pinned), done);
  }
  const text = (await desk.show(textDialog({ question: 'Edit this memory', text: note.text })))?.trim();
  return text ? outcome(await memory.edit(note, text), 'Changed.') : '';
}
