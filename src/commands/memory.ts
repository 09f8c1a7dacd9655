import type { Memory, NotNoted, RememberedNote, SlashCommand } from '../contract/command.ts';

export const MEMORY_IS_OFF = 'Memory is off. Turn it on with `aca config set memory.enabled true`.';

const HEADINGS: Record<RememberedNote['kind'], string> = {
  user: 'About you, in every project:',
  context: 'About this project:',
  decisions: 'Decided in this project:',
  learnings: 'Learned in this project:',
  commands: 'Commands that passed in this project:',
  corrections: 'Proposed for AGENTS.md (see /learned):',
};

export const memory: SlashCommand = {
  name: 'memory',
  description: 'Show memories; /memory forget 2, /memory edit 2 TEXT, /memory pin 2',
  async execute([verb, which = '', ...words], { memory, print }) {
    if (!memory) return print(MEMORY_IS_OFF);
    if (verb === undefined) return print(listing(memory));
    const note = memory.list().find((_, i) => String(i + 1) === which);
    const deed = deeds(memory, words.join(' ').trim()).find(({ name }) => name === verb.toLowerCase());
    if (!deed)
      return print('Use /memory, or /memory forget, edit, pin or unpin with a number from the list.');
    if (!note) return print(`There is no note ${which || 'without a number'}. See /memory.`);
    if (verb === 'edit' && words.length === 0) return print('Write the new text after the number.');
    print(outcome(await deed.run(note), deed.done));
  },
};

type Deed = { name: string; done: string; run(note: RememberedNote): Promise<NotNoted> };

function deeds(memory: Memory, text: string): Deed[] {
  return [
    { name: 'forget', done: 'Forgotten.', run: (note) => memory.forget(note) },
    { name: 'edit', done: 'Changed.', run: (note) => memory.edit(note, text) },
    { name: 'pin', done: 'Pinned: included in every session.', run: (note) => memory.pin(note, true) },
    { name: 'unpin', done: 'No longer pinned.', run: (note) => memory.pin(note, false) },
  ];
}

export function outcome(notNoted: NotNoted, done: string): string {
  switch (notNoted) {
    case null:
      return done;
    case 'known':
      return 'Already remembered.';
    case 'secret':
      return 'That looks like it contains a secret. Secrets are never saved to memory.';
    case 'gone':
      return 'That note no longer exists. See /memory.';
    default:
      return notNoted satisfies never;
  }
}

function listing(memory: Memory): string {
  const notes = memory.list();
  if (notes.length === 0) return `No memories yet. Save one with /remember TEXT. Files: ${memory.folder}.`;
  const lines = notes.flatMap((note, i) => {
    const { kind, text, date, pinned } = note;
    const facts = [date, pinned ? 'pinned' : null].filter((fact) => fact !== null);
    const line = `  ${i + 1}. ${text}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`;
    return notes[i - 1]?.kind === kind ? [line] : [HEADINGS[kind], line];
  });
  return [...lines, `Files: ${memory.folder}.`].join('\n');
}
