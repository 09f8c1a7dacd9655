import {
  commentPrompt,
  LAST_RUN,
  type NamedScope,
  nothingIn,
  SESSION,
  scopeNamed,
  since,
} from '../../../commands/changes.ts';
import { shownFile } from '../../../commands/format/shown-file.ts';
import { promptsOf } from '../../../commands/prompts.ts';
import type { CommandContext } from '../../../contract/command.ts';
import type { ChangeReview, UndoReport } from '../../../contract/review.ts';
import { pickerDialog } from '../components/picker.ts';
import { type ChangesPlace, type ChangesStep, openChanges, pressChanges } from '../dialogs/changes.ts';
import { type ChangesText, hunkExtent, renderChanges } from '../dialogs/changes-view.ts';
import { modelDialog } from '../dialogs/model.ts';
import type { Dialog } from '../view/dialog.ts';
import type { Pickers } from './pickers.ts';

const UNDO_HINT = '/undo brings it back';

/** `/changes`: every change can be looked at, reverted, or sent back to the model with a comment. */
export async function changesByReview(
  [word]: readonly string[],
  context: CommandContext,
  desk: Pickers,
): Promise<void> {
  const { files: history, print, cwd } = context;
  let named = await scopeNamed(word, context);
  let place: ChangesPlace = { path: '', hunk: null };
  let note = '';
  let reverted = 0;
  for (;;) {
    const review = await history.changes(named.scope);
    if (review.files.length === 0) return print(note === '' ? nothingIn(named.title) : note);
    const step = await desk.show(changesDialog(review, { named, cwd, note }, place));
    note = '';
    switch (step?.type) {
      case 'revert': {
        const report = await review.revert([step.chosen]);
        ({ place } = step);
        note = noteOf(step.chosen, report, { review, cwd });
        reverted += report.kept.length === 0 ? 1 : 0;
        break;
      }
      case 'comment': {
        const file = review.files[step.file];
        const hunk = file?.hunks[step.hunk];
        if (file && hunk) desk.send(commentPrompt(file, hunk, { cwd, comment: step.text }));
        return;
      }
      case 'scope':
        named = step.to === 'other' ? otherScope(named) : ((await choosePrompt(context, desk)) ?? named);
        break;
      default:
        if (reverted > 0)
          print(`Reverted ${reverted === 1 ? 'one change' : `${reverted} changes`}; ${UNDO_HINT}.`);
        return;
    }
  }
}

function changesDialog(
  { files }: ChangeReview,
  { named, cwd, note }: { named: NamedScope; cwd: string; note: string },
  place: ChangesPlace,
): Dialog<ChangesStep> {
  const other = otherScope(named) === SESSION ? 'session' : 'last run';
  const text: ChangesText = { title: named.title, files, cwd, note, other };
  return modelDialog({
    open: () => openChanges(files, place),
    press: (state, key, frame) => pressChanges(state, key, { files, extent: hunkExtent(state, text, frame) }),
    lines: (state, frame) => renderChanges(state, text, frame),
  });
}

function otherScope({ scope }: NamedScope): NamedScope {
  return scope === 'session' ? LAST_RUN : SESSION;
}

function noteOf(
  { path, hunk }: { path: string; hunk?: number },
  { kept }: UndoReport,
  { review, cwd }: { review: ChangeReview; cwd: string },
): string {
  const name = shownFile(path, cwd);
  const [left] = kept;
  if (left) return `Left alone: ${shownFile(left.path, cwd)}: ${left.because}.`;
  const file = review.files.find((one) => one.path === path);
  const what = hunk === undefined ? '' : ` (${file?.hunks[hunk]?.what ?? ''})`;
  return `Reverted ${name}${what}; ${UNDO_HINT}.`;
}

/** The last prompt first, as in `/rewind`. */
async function choosePrompt({ sessions }: CommandContext, { show }: Pickers): Promise<NamedScope | null> {
  await sessions.ready;
  const prompts = promptsOf(sessions.session.messages);
  const picked = await show(
    pickerDialog({
      title: 'Show changes since',
      none: 'No prompts yet.',
      takes: 'show',
      items: prompts
        .map(({ message, line }) => ({ id: String(message), label: line === '' ? '(no text)' : line }))
        .toReversed(),
      search: 'typed',
    }),
  );
  const prompt = prompts.find(({ message }) => String(message) === picked?.id);
  return prompt ? since(prompt) : null;
}
