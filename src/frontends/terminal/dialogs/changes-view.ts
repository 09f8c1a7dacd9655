import { counts, totals } from '../../../commands/changes.ts';
import { shownFile } from '../../../commands/format/shown-file.ts';
import type { ChangedFile, ChangedHunk } from '../../../contract/review.ts';
import { visibleLine } from '../../../lib/text/visible-text.ts';
import { diffLines } from '../diff/diff-view.ts';
import { fitTo, widthOf } from '../text/measure.ts';
import type { Line } from '../view/types.ts';
import type { ChangesState } from './changes.ts';
import { inputRow, keyRow } from './footer.ts';
import { rowsOf, span } from './look.ts';
import type { DialogFrame } from './model.ts';
import { framed, MIN_COLUMNS, SIDES } from './panel.ts';
import { clampTop, type Extent, placeWords } from './scroll.ts';

/** What the dialog is about. */
export type ChangesText = {
  title: string;
  files: readonly ChangedFile[];
  cwd: string;
  /** What the last key did. */
  note: string;
  /** What Tab switches to. */
  other: string;
};

/** Below this many rows there is no frame. */
const MIN_FRAMED = 8;
const KIND_WIDTH = 'changed'.length;

/** The list of files, or one hunk; never more rows than available. */
export function renderChanges(state: ChangesState, text: ChangesText, frame: DialogFrame): Line[] {
  const inner = innerFrame(frame);
  const lines = state.hunk === null ? listLines(state, text, inner) : hunkLines(state, text, inner);
  return (inner === frame ? lines : framed(lines, frame)).slice(0, frame.rows);
}

/** How much of the current hunk is visible. */
export function hunkExtent(state: ChangesState, text: ChangesText, frame: DialogFrame): Extent {
  const inner = innerFrame(frame);
  return extentOf(bodyOf(state, text, inner), inner);
}

function innerFrame(frame: DialogFrame): DialogFrame {
  const isFramed = frame.columns >= MIN_COLUMNS && frame.rows >= MIN_FRAMED;
  return isFramed ? { ...frame, columns: frame.columns - SIDES, rows: frame.rows - 2 } : frame;
}

function listLines({ file: selected }: ChangesState, text: ChangesText, frame: DialogFrame): Line[] {
  const { columns, rows, look } = frame;
  const { title, files, note, other } = text;
  const notes = (files[selected]?.notes ?? []).flatMap((one) => rowsOf(visibleLine(one), columns, look.warn));
  const said = note === '' ? [] : rowsOf(visibleLine(note), columns, look.good);
  const room = Math.max(1, rows - 2 - notes.length - said.length);
  const first = Math.max(0, Math.min(selected - Math.floor(room / 2), files.length - room));
  return [
    headLine(title, totals(files), frame),
    ...files.slice(first, first + room).map((file, i) => fileLine(file, first + i === selected, text, frame)),
    ...notes,
    ...said,
    keyRow({ enter: 'open', r: 'revert', tab: other, p: 'since…', esc: 'close' }, frame),
  ];
}

function fileLine(file: ChangedFile, isSelected: boolean, text: ChangesText, frame: DialogFrame): Line {
  const { columns, look } = frame;
  const hunks = file.hunks.length > 1 ? `  ${file.hunks.length} hunks` : '';
  const kind = file.change.padEnd(KIND_WIDTH);
  const numbers = counts(file);
  const rest = KIND_WIDTH + numbers.length + hunks.length + 6;
  const names = text.files.map(({ path }) => widthOf(nameOf(path, text)));
  const width = Math.max(8, Math.min(Math.max(...names), columns - rest));
  const name = fitTo(nameOf(file.path, text), width);
  const gap = ' '.repeat(Math.max(0, width - widthOf(name)));
  const row = [
    span(isSelected ? '❯ ' : '  ', look.accent),
    span(name, isSelected ? look.chosen : look.plain),
    span(`${gap}  ${kind}  `, look.quiet),
    span(`+${file.added}`, look.good),
    span(` −${file.removed}`, look.danger),
    span(hunks, look.quiet),
  ];
  // On a narrow screen the name is all that fits.
  return columns - rest < 8 ? row.slice(0, 1).concat(span(fitTo(name, columns - 2), look.plain)) : row;
}

function hunkLines(state: ChangesState, text: ChangesText, frame: DialogFrame): Line[] {
  const { columns, look } = frame;
  const [file, hunk] = shownHunk(state, text);
  if (!file || !hunk) return [];
  const body = bodyOf(state, text, frame);
  const extent = extentOf(body, frame);
  const top = clampTop(state.top, extent);
  const place = placeWords(top, extent);
  const all = text.files.flatMap(({ hunks }) => hunks);
  const aside = `${all.indexOf(hunk) + 1} of ${all.length}  ${counts(hunk)}`;
  return [
    headLine(`${nameOf(file.path, text)} · ${hunk.what}`, aside, frame),
    ...body.slice(top, top + extent.page),
    ...(place === null ? [] : [[span(fitTo(`${place} · pgup pgdn`, columns), look.warn)]]),
    ...(text.note === '' ? [] : [[span(fitTo(visibleLine(text.note), columns), look.good)]]),
    state.comment
      ? inputRow('Comment: ', state.comment, frame)
      : keyRow({ '↑↓': 'next', r: 'revert', c: 'comment', esc: 'files', q: 'close' }, frame),
  ];
}

function bodyOf(
  state: ChangesState,
  text: ChangesText,
  { columns, theme, highlighter }: DialogFrame,
): Line[] {
  const [file, hunk] = shownHunk(state, text);
  if (!file || !hunk) return [];
  if (hunk.patch === '') return [[span(fitTo(hunk.what, columns), {})]];
  return diffLines(
    { kind: 'diff', path: file.path, ...hunk },
    { width: columns, theme, titled: true, ...(highlighter && { highlighter }) },
  );
}

function shownHunk(
  { file, hunk }: ChangesState,
  { files }: ChangesText,
): [ChangedFile | undefined, ChangedHunk | undefined] {
  return [files[file], files[file]?.hunks[hunk ?? 0]];
}

/** Without the heading, the keys, a note and the position. */
function extentOf({ length: total }: readonly Line[], { rows }: DialogFrame): Extent {
  const room = Math.max(1, rows - 3);
  return { total, page: total <= room ? total : Math.max(1, room - 1) };
}

function headLine(title: string, aside: string, { columns, look }: DialogFrame): Line {
  const room = columns - widthOf(aside) - 2;
  if (room < 10) return [span(fitTo(visibleLine(title), columns), look.title)];
  const shown = fitTo(visibleLine(title), room);
  const gap = ' '.repeat(columns - widthOf(shown) - widthOf(aside));
  return [span(shown, look.title), span(gap + aside, look.quiet)];
}

function nameOf(file: string, { cwd }: ChangesText): string {
  return visibleLine(shownFile(file, cwd));
}
