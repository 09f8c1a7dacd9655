import type { Memory, NotNoted, RememberedNote, SlashCommand } from '../contract/command.ts';

/** For whoever has switched it off. */
export const MEMORY_IS_OFF = 'Memory is switched off: `aca config set memory.enabled true` switches it on.';

const HEADINGS: Record<RememberedNote['kind'], string> = {
  user: 'About you, in every project:',
  context: 'About this project:',
  decisions: 'Decided in this project:',
  learnings: 'Learnt in this project:',
};

export const memory: SlashCommand = {
  name: 'memory',
  description: 'Show what is remembered; /memory forget 2, /memory edit 2 text, /memory pin 2',
  async execute([verb, which = '', ...words], { memory, print }) {
    if (!memory) return print(MEMORY_IS_OFF);
    if (verb === undefined) return print(listing(memory));
    const note = memory.list().find((_, i) => String(i + 1) === which);
    const deed = deeds(memory, words.join(' ').trim()).find(({ name }) => name === verb.toLowerCase());
    if (!deed)
      return print('Write /memory, or /memory with forget, edit, pin or unpin and a number of the list.');
    if (!note) return print(`There is no note ${which || 'without a number'}. /memory lists them.`);
    if (verb === 'edit' && words.length === 0) return print('Write the new text after the number.');
    print(outcome(await deed.run(note), deed.done));
  },
};

type Deed = { name: string; done: string; run(note: RememberedNote): Promise<NotNoted> };

function deeds(memory: Memory, text: string): Deed[] {
  return [
    { name: 'forget', done: 'Forgotten.', run: (note) => memory.forget(note) },
    { name: 'edit', done: 'Changed.', run: (note) => memory.edit(note, text) },
    { name: 'pin', done: 'Pinned: it is told in every session.', run: (note) => memory.pin(note, true) },
    { name: 'unpin', done: 'No longer pinned.', run: (note) => memory.pin(note, false) },
  ];
}

export function outcome(notNoted: NotNoted, done: string): string {
  switch (notNoted) {
    case null:
      return done;
    case 'known':
      return 'That is known already.';
    case 'secret':
      return 'That looks like it holds a secret, and secrets are never kept here.';
    case 'gone':
      return 'That note is gone by now. /memory lists what there is.';
    default:
      return notNoted satisfies never;
  }
}

function listing(memory: Memory): string {
  const notes = memory.list();
  if (notes.length === 0)
    return `Nothing is remembered yet. /remember TEXT notes something; the files are in ${memory.folder}.`;
  const lines = notes.flatMap((note, i) => {
    const { kind, text, date, pinned } = note;
    const facts = [date, pinned ? 'pinned' : null].filter((fact) => fact !== null);
    const line = `  ${i + 1}. ${text}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`;
    return notes[i - 1]?.kind === kind ? [line] : [HEADINGS[kind], line];
  });
  return [...lines, `The files are in ${memory.folder}.`].join('\n');
}
