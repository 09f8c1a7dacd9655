import type { CommandContext, SlashCommand } from '../contract/command.ts';
import { UserError } from '../contract/errors.ts';
import type { ChangedFile, ChangedHunk, ChangeScope } from '../contract/review.ts';
import { shownFile } from './format/shown-file.ts';
import { promptNumbered } from './prompts.ts';

export const changes: SlashCommand = {
  name: 'changes',
  forGuests: true,
  description:
    'Review what was changed: by the last run (/changes), in this session (/changes session), since a prompt (/changes 2)',
  async execute([word], context) {
    const { files, cwd, print } = context;
    const { scope, title } = await scopeNamed(word, context);
    const review = await files.changes(scope);
    print(
      review.files.length === 0
        ? nothingIn(title)
        : [`${title}:`, ...statLines(review.files, cwd)].join('\n'),
    );
  },
};

/** Which changes to show, and what they are called. */
export type NamedScope = { scope: ChangeScope; title: string };

export const LAST_RUN: NamedScope = { scope: 'run', title: 'Changes in the last run' };
export const SESSION: NamedScope = { scope: 'session', title: 'Changes in this session' };

/** From a word after `/changes`: nothing, `run`, `session`, or the number of a prompt. */
export async function scopeNamed(
  word: string | undefined,
  { sessions }: Pick<CommandContext, 'sessions'>,
): Promise<NamedScope> {
  if (word === undefined || word === 'run') return LAST_RUN;
  if (word === 'session') return SESSION;
  await sessions.ready;
  const prompt = promptNumbered(word, sessions.session.messages);
  if (!prompt)
    throw new UserError(
      `There is no prompt ${word}.`,
      'Use /changes, /changes session or a number that /rewind lists.',
    );
  return since(prompt);
}

export function since({ at, line }: { at: string; line: string }): NamedScope {
  return { scope: { since: at }, title: `Changes since "${line}"` };
}

export function nothingIn(title: string): string {
  return `${title}: none.`;
}

/** One row per file, and the sum. */
function statLines(files: readonly ChangedFile[], cwd: string): string[] {
  const width = Math.max(...files.map((file) => shownFile(file.path, cwd).length));
  return [
    ...files.flatMap((file) => [
      `  ${file.change.padEnd(7)} ${shownFile(file.path, cwd).padEnd(width)}  ${counts(file, '-')}`,
      ...file.notes.map((note) => `          ${note}`),
    ]),
    totals(files, '-'),
  ];
}

/** `3 files +40 −12`. */
export function totals(files: readonly ChangedFile[], minus = '−'): string {
  const sum = (of: 'added' | 'removed') => files.reduce((total, file) => total + file[of], 0);
  const subject = files.length === 1 ? '1 file' : `${files.length} files`;
  return `${subject} ${counts({ added: sum('added'), removed: sum('removed') }, minus)}`;
}

export function counts({ added, removed }: Pick<ChangedFile, 'added' | 'removed'>, minus = '−'): string {
  return `+${added} ${minus}${removed}`;
}

/** A prompt that asks the model to rework one of its changes. */
export function commentPrompt(
  file: ChangedFile,
  { what, patch }: ChangedHunk,
  { cwd, comment }: { cwd: string; comment: string },
): string {
  const ticks = Math.max(2, ...(patch.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(ticks + 1);
  const quoted = patch === '' ? '' : `\n\n${fence}diff\n${patch.trimEnd()}\n${fence}`;
  return `About your change in ${shownFile(file.path, cwd)} (${what}):${quoted}\n\n${comment}`;
}
