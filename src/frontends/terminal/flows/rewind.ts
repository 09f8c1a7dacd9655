import { type Prompt, promptsOf, shownText } from '../../../commands/prompts.ts';
import { changedSince, goBack, type Part } from '../../../commands/rewind.ts';
import type { CommandContext, FileHistory } from '../../../contract/command.ts';
import { ago } from '../../../lib/text/ago.ts';
import { pickerDialog } from '../components/picker.ts';
import type { PickItem } from '../dialogs/picker.ts';
import type { Pickers } from './pickers.ts';
import { voiceOf } from './undo.ts';

const PARTS: readonly (PickItem & { id: Part })[] = [
  { id: 'both', label: 'Conversation and files', detail: 'restore both to before this prompt' },
  { id: 'conversation', label: 'Conversation', detail: 'keep the files as they are' },
  { id: 'files', label: 'Files', detail: 'keep the conversation as it is' },
];

type Runs = Awaited<ReturnType<FileHistory['runs']>>;

/** The last prompt first: it is rewound to most often. */
function rewindItems(prompts: readonly Prompt[], runs: Runs, now = Date.now()): PickItem[] {
  return prompts
    .map(({ message, at, line }): PickItem => {
      const facts = [ago(at, now), changedSince(at, runs)].filter((fact) => fact !== '');
      return { id: String(message), label: line === '' ? '(no text)' : line, detail: facts.join(' · ') };
    })
    .toReversed();
}

/** `/rewind` without a number, and Esc Esc: which prompt, what to restore, and a preview of the files. */
export async function rewindByPicking(context: CommandContext, desk: Pickers): Promise<void> {
  const { sessions, files, print } = context;
  await sessions.ready;
  const prompts = promptsOf(sessions.session.messages);
  if (prompts.length === 0) return print('No prompts yet.');
  const runs = await files.runs();
  const picked = await desk.show(
    pickerDialog({
      title: 'Rewind to before',
      none: 'No prompts yet.',
      takes: 'rewind',
      items: rewindItems(prompts, runs),
      search: 'typed',
    }),
  );
  const prompt = prompts.find(({ message }) => String(message) === picked?.id);
  if (!prompt) return;
  const part = changedSince(prompt.at, runs) === '' ? 'conversation' : await choosePart(desk);
  if (part === null) return;
  const message = sessions.session.messages[prompt.message];
  const text = message?.role === 'user' ? shownText(message) : '';
  if (await goBack(prompt, part, { ...context, ...voiceOf(context, desk) })) desk.draft(text);
}

async function choosePart({ show }: Pickers): Promise<Part | null> {
  const picked = await show(
    pickerDialog({
      title: 'What do you want to rewind?',
      none: '',
      takes: 'rewind',
      items: PARTS,
      search: 'none',
    }),
  );
  return PARTS.find(({ id }) => id === picked?.id)?.id ?? null;
}
