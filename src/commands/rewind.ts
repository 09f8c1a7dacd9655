import type { CommandContext, FileHistory, SlashCommand } from '../contract/command.ts';
import { didYouMean } from '../lib/text/nearest.ts';
import { offerUndo, type Voice } from './offer-undo.ts';
import { type Prompt, promptNumbered, promptsOf } from './prompts.ts';

const PARTS = ['conversation', 'files', 'both'] as const;

export type Part = (typeof PARTS)[number];

/** Maximum number of prompts listed; numbering still counts all of them. */
const LISTED = 30;

export const rewind: SlashCommand = {
  name: 'rewind',
  needs: 'terminal',
  description: 'Rewind to before a prompt, or list your prompts: /rewind 2 conversation, files or both',
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
  if (prompts.length === 0) return 'No prompts yet.';
  const runs = await files.runs();
  const first = Math.max(0, prompts.length - LISTED);
  return [
    ...(first > 0 ? [`  … ${first} earlier ones`] : []),
    ...prompts.slice(first).map(({ at, line }, i) => {
      const since = changedSince(at, runs);
      const told = since === '' ? '' : `  (${since})`;
      return `${String(first + i + 1).padStart(3)}. ${at.slice(0, 16).replace('T', ' ')}  ${line}${told}`;
    }),
    'Rewind to before one with /rewind NUMBER.',
  ].join('\n');
}

/** `2 files changed since`, or empty. */
export function changedSince(at: string, runs: Awaited<ReturnType<FileHistory['runs']>>): string {
  const { size } = new Set(runs.filter((run) => run.at >= at).flatMap((run) => run.paths));
  return size === 0 ? '' : `${size} ${size === 1 ? 'file' : 'files'} changed since`;
}

/** Null when cancelled. */
async function partOf(wanted: string | undefined, { ask, print }: CommandContext): Promise<Part | null> {
  const word = wanted ?? (await ask('Rewind the conversation, the files or both? [c/f/b] '))?.trim();
  if (!word) {
    print('Nothing was changed.');
    return null;
  }
  const part = PARTS.find((one) => one.startsWith(word.toLowerCase()));
  if (!part) print(`There is no option ${word}.${didYouMean(word, PARTS)} Nothing was changed.`);
  return part ?? null;
}

type Way = Pick<CommandContext, 'files' | 'sessions'> & Voice;

/** Rewinds to before a prompt. True when the conversation was rewound. */
export async function goBack(prompt: Prompt, part: Part, way: Way): Promise<boolean> {
  const { files, sessions, print } = way;
  const pending = part === 'conversation' ? null : await files.undo(prompt.at);
  if (part === 'files' && !pending) {
    print('No files changed since then.');
    return false;
  }
  const question = part === 'both' ? 'Rewind files and conversation?' : 'Rewind these files?';
  if (pending && !(await offerUndo(pending, question, way))) return false;
  if (part === 'files') return false;
  const gone = sessions.session.messages.length - prompt.message;
  await sessions.rewind(prompt.message);
  print(`Rewound to before "${prompt.line}" (${gone} messages back).`);
  print(
    `The later messages are saved. Copy them into a new session with: aca sessions fork ${sessions.session.id.slice(0, 8)} --rewound`,
  );
  return true;
}
