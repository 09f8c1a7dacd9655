import { reasonLine } from '../../../commands/format/decision.ts';
import { sandboxLine } from '../../../commands/format/sandbox.ts';
import type { Display } from '../../../contract/display.ts';
import type { Access, CommandPart, PermissionRequest } from '../../../contract/permission.ts';
import { exactLine, exactText, visibleText } from '../../../lib/text/visible-text.ts';
import { fitTo } from '../text/measure.ts';
import { chop } from '../text/wrap.ts';
import type { Line, Style } from '../view/types.ts';
import { choiceRows, inputRow, keyRow } from './footer.ts';
import { type Frame, type Look, rowsOf, span, textOfLine } from './look.ts';
import type { Choice, PermissionState } from './permission.ts';
import { clampTop, type Extent, placeWords } from './scroll.ts';

/** Draws a complete preview, in rows that fit. */
type DrawDisplay = (display: Display) => Line[];

type Asked = { request: PermissionRequest; choices: readonly Choice[]; body: readonly Line[] };

const TITLE_ROWS = 2;

/** Everything the user needs to decide: facts first, because they are short, then the changes. */
export function permissionBody(request: PermissionRequest, frame: Frame, draw: DrawDisplay): Line[] {
  const { parts = [], leadsTo = [], sandbox, grants = [], preview } = request;
  const reason = reasonLine(request);
  const { look, columns } = frame;
  const fact = (mark: string, text: string, style: Style) => hanging(mark, text, { columns, style });
  const unconfined = sandbox?.kind === 'host';
  return [
    ...(titleRows(request, columns).length > TITLE_ROWS ? fact('', request.operation, look.plain) : []),
    ...(parts.length > 1 ? parts.flatMap((part) => partRows(part, columns, look)) : []),
    ...unsaid(request).flatMap((access) => fact('  ', accessWords(access), look.plain)),
    ...leadsTo.flatMap(({ written, real }) => fact('! ', `${written} leads to ${real}`, look.warn)),
    ...(reason === '' ? [] : fact('  ', reason, look.quiet)),
    ...(sandbox
      ? fact(unconfined ? '! ' : '  ', sandboxLine(sandbox), unconfined ? look.warn : look.quiet)
      : []),
    ...(sandbox?.fallback === undefined ? [] : fact('! ', sandbox.fallback, look.warn)),
    ...grants.flatMap((pattern, i) =>
      fact(i === 0 ? 's and a allow: ' : '               ', pattern, look.quiet),
    ),
    ...(preview ? drawn(preview, columns, draw) : []),
  ];
}

/** How much of the body is visible at once. */
export function permissionExtent(state: PermissionState, asked: Asked, frame: Frame): Extent {
  const head = Math.min(TITLE_ROWS, titleRows(asked.request, frame.columns).length);
  const fixed = head + footer(state, asked, frame).length;
  const total = asked.body.length;
  const room = Math.max(1, frame.rows - fixed);
  // The position row is needed only when not everything is visible.
  return { total, page: total <= room ? total : Math.max(1, room - 1) };
}

/** Whether the last row of the body is visible. */
export function isEndSeen(state: PermissionState, asked: Asked, frame: Frame): boolean {
  const extent = permissionExtent(state, asked, frame);
  return clampTop(state.top, extent) + extent.page >= extent.total;
}

/** The whole dialog: never more rows than available, always with the question and its keys. */
export function renderPermission(state: PermissionState, asked: Asked, frame: Frame): Line[] {
  const { look, columns } = frame;
  const titles = titleRows(asked.request, columns);
  const head = titles.slice(0, TITLE_ROWS).map((text, i) => {
    const whole = i < TITLE_ROWS - 1 || titles.length <= TITLE_ROWS;
    return [span(whole ? text : fitTo(`${text} …`, columns), look.title)];
  });
  const extent = permissionExtent(state, asked, frame);
  const top = clampTop(state.top, extent);
  const place = placeWords(top, extent);
  const told = state.hasty ? `Scroll to the end first (End) · ${place}` : `${place} · ↑ ↓ PgUp PgDn`;
  return [
    ...head,
    ...asked.body.slice(top, top + extent.page),
    ...(place === null ? [] : [[span(fitTo(told, columns), state.hasty ? look.danger : look.warn)]]),
    ...footer(state, asked, frame),
  ].slice(0, frame.rows);
}

function footer({ reason, selected }: PermissionState, { choices }: Asked, frame: Frame): Line[] {
  if (reason) {
    return [inputRow('Why not? ', reason, frame), keyRow({ Enter: 'decline', Esc: 'back' }, frame)];
  }
  return choiceRows(choices, selected, frame);
}

function titleRows({ operation, agent }: PermissionRequest, columns: number): string[] {
  const who = agent === undefined ? '' : `[${exactLine(agent)}] `;
  return rowsOf(`${who}Allow: ${exactLine(operation)}?`, columns, {}).map(textOfLine);
}

/** The command that requires approval is marked, with the reason. */
function partRows({ text, verdict, because }: CommandPart, columns: number, look: Look): Line[] {
  if (verdict === 'allow') return hanging('  ', text, { columns, style: look.quiet });
  const style = verdict === 'deny' ? look.danger : look.warn;
  return hanging('! ', `${text}   (${because})`, { columns, style });
}

/** Accesses that are not in the title or the preview. */
function unsaid({ operation, accesses, preview }: PermissionRequest): Access[] {
  const whole = preview?.kind === 'text' ? preview.text : null;
  return accesses.filter(({ target }) => target !== whole && !`${operation}, `.includes(` ${target}, `));
}

function accessWords({ kind, target }: Access): string {
  const words = {
    read: 'reads',
    write: 'writes',
    execute: 'runs',
    fetch: 'fetches',
    delegate: 'delegates to',
  } as const;
  return `${words[kind]} ${target}`;
}

function drawn(preview: Display, columns: number, draw: DrawDisplay): Line[] {
  if (preview.kind === 'diff') return draw({ ...preview, patch: visibleText(preview.patch) });
  if (preview.kind === 'diffs') {
    const diffs = preview.diffs.map((diff) => ({ ...diff, patch: visibleText(diff.patch) }));
    return draw({ ...preview, diffs });
  }
  if (preview.kind === 'files') return fileRows(preview, columns);
  if (preview.kind !== 'text') return draw(preview);
  // Commands keep every space: it may be significant.
  return exactText(preview.text)
    .split('\n')
    .flatMap((text) => chop([{ text }], columns));
}

function fileRows({ paths, total }: Extract<Display, { kind: 'files' }>, columns: number): Line[] {
  const more = total > paths.length ? [`… ${total - paths.length} more`] : [];
  return [...paths.map(exactLine), ...more].flatMap((text) => chop([{ text }], columns));
}

/** Wrapped rows, indented by the width of the first row's mark. */
function hanging(mark: string, text: string, { columns, style }: { columns: number; style: Style }): Line[] {
  // If the indent would take half the row, it is omitted.
  const indent = mark.length * 2 > columns ? '' : ' '.repeat(mark.length);
  return rowsOf(exactLine(text), columns - indent.length, {}).map((row, i) => [
    span((i === 0 && indent !== '' ? mark : indent) + textOfLine(row), style),
  ]);
}
