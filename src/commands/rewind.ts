import type { CommandContext, SlashCommand } from '../contract/command.ts';
import { didYouMean } from '../lib/nearest.ts';
import { offerUndo } from './offer-undo.ts';
import { type Prompt, promptNumbered, promptsOf } from './prompts.ts';

const PARTS = ['conversation', 'files', 'both'] as const;

type Part = (typeof PARTS)[number];

/** More than that is more than anybody reads; the numbers go on counting. */
const LISTED = 30;

export const rewind: SlashCommand = {
  name: 'rewind',
  description: 'List your prompts, or go back to before one: /rewind 2 conversation, files or both',
  async execute([number, wanted], context) {
    const { sessions, print } = context;
    await sessions.ready;
    if (number === undefined) return print(await listing(context));
    const prompt = promptNumbered(number, sessions.session.messages);
    if (!prompt) return print(`There is no prompt ${number}. /rewind lists them.`);
    const part = await partOf(wanted, context);
    if (part) await goBack(prompt, part, context);
  },
};

async function listing({ sessions, files }: CommandContext): Promise<string> {
  const prompts = promptsOf(sessions.session.messages);
  if (prompts.length === 0) return 'Nothing was asked yet.';
  const runs = await files.runs();
  const first = Math.max(0, prompts.length - LISTED);
  return [
    ...(first > 0 ? [`  … ${first} earlier ones`] : []),
    ...prompts.slice(first).map(({ at, line }, i) => {
      const paths = new Set(runs.filter((run) => run.at >= at).flatMap((run) => run.paths));
      const since =
        paths.size === 0 ? '' : `  (${paths.size} ${paths.size === 1 ? 'file' : 'files'} changed since)`;
      return `${String(first + i + 1).padStart(3)}. ${at.slice(0, 16).replace('T', ' ')}  ${line}${since}`;
    }),
    'Go back to before one of them with /rewind and its number.',
  ].join('\n');
}

/** Null when nothing is to be done. */
async function partOf(wanted: string | undefined, { ask, print }: CommandContext): Promise<Part | null> {
  const word = wanted ?? (await ask('Go back with the conversation, the files, or both? [c/f/b] '))?.trim();
  if (!word) {
    print('Nothing was changed.');
    return null;
  }
  const part = PARTS.find((one) => one.startsWith(word.toLowerCase()));
  if (!part) print(`There is no way back called ${word}.${didYouMean(word, PARTS)} Nothing was changed.`);
  return part ?? null;
}

async function goBack(prompt: Prompt, part: Part, context: CommandContext): Promise<void> {
  const { files, sessions, print } = context;
  const pending = part === 'conversation' ? null : await files.undo(prompt.at);
  if (part === 'files' && !pending) return print('No file was changed since.');
  const question = part === 'both' ? 'Go back with files and conversation?' : 'Go back with these files?';
  if (pending && !(await offerUndo(pending, question, context))) return;
  if (part === 'files') return;
  const gone = sessions.session.messages.length - prompt.message;
  await sessions.rewind(prompt.message);
  print(`The conversation goes on from before "${prompt.line}" (${gone} messages back).`);
  print(
    `What came after is kept: aca sessions fork ${sessions.session.id.slice(0, 8)} --rewound copies it into a new session.`,
  );
}
