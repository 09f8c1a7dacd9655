import { claimLine } from '../../../commands/format/decision.ts';
import type { Display } from '../../../contract/display.ts';
import { type Access, obviousReasons, type PermissionRequest } from '../../../contract/permission.ts';
import { exactLine, exactText, visibleText } from '../../../lib/text/visible-text.ts';
import { chop } from '../text/wrap.ts';
import type { Line } from '../view/types.ts';
import { commandOf, commandRows, riskyRows, sandboxRows, unmarkedRows } from './command-view.ts';
import { hanging } from './hanging.ts';
import type { Frame } from './look.ts';
import { isTitleCut, type Panel } from './panel.ts';

/** Draws a complete preview, in rows of this width. */
export type DrawDisplay = (display: Display, columns: number) => Line[];

/** Distinct reasons; more of them are seen in the command itself. */
const MAX_REASONS = 3;

/** The approval request as a panel. */
export function permissionPanel(request: PermissionRequest, draw: DrawDisplay): Omit<Panel, 'choices'> {
  const { queue } = request;
  return {
    title: titleOf(request),
    aside: queue ? `${queue.position} of ${queue.total}` : '',
    esc: 'to interrupt',
    body: (inner) => permissionBody(request, inner, draw),
  };
}

function titleOf(request: PermissionRequest): string {
  const { operation, agent, accesses } = request;
  const who = agent === undefined ? '' : `[${exactLine(agent)}] `;
  if (commandOf(request) === null) return `${who}${exactLine(operation)}?`;
  const isOutside = accesses.some(({ unconfined }) => unconfined);
  return `${who}Run this command${isOutside ? ' outside the sandbox' : ''}?`;
}

/** Everything the user needs to decide: what happens, and what is unusual about it. */
function permissionBody(request: PermissionRequest, inner: Frame, draw: DrawDisplay): Line[] {
  const command = commandOf(request);
  const facts = factRows(request, inner);
  if (command === null) {
    const whole = isTitleCut(titleOf(request), inner.columns)
      ? hanging('', request.operation, { columns: inner.columns, style: inner.look.plain })
      : [];
    return [...whole, ...facts, ...(request.preview ? drawn(request.preview, inner.columns, draw) : [])];
  }
  const rows = commandRows(command, request, inner);
  if (rows.length + facts.length <= inner.rows) return [...rows, ...unmarkedRows(request, inner), ...facts];
  return [...riskyRows(request, inner), ...facts, ...rows];
}

function factRows(request: PermissionRequest, inner: Frame): Line[] {
  const { look, columns } = inner;
  const { leadsTo = [] } = request;
  return [
    ...reasonsOf(request).flatMap((reason) => hanging('', reason, { columns, style: look.quiet })),
    ...(request.claim === undefined ? [] : hanging('', claimLine(request), { columns, style: look.quiet })),
    ...unsaid(request).flatMap((access) => hanging('', accessWords(access), { columns, style: look.plain })),
    ...leadsTo.flatMap(({ written, real }) =>
      hanging('! ', `${written} leads to ${real}`, { columns, style: look.warn }),
    ),
    ...sandboxRows(request, inner),
  ];
}

/** Why approval is needed, unless the operation itself says it. */
function reasonsOf({ because, parts = [] }: PermissionRequest): string[] {
  const isObvious = because === '' || Object.values<string>(obviousReasons).includes(because);
  const risky = parts.filter(({ verdict }) => verdict !== 'allow').map((part) => part.because);
  const others = risky.filter((reason) => !because.includes(reason));
  return [...new Set([...(isObvious ? [] : [because]), ...others])].slice(0, MAX_REASONS);
}

/** Accesses that are not in the title, the command or the preview. */
function unsaid(request: PermissionRequest): Access[] {
  const { operation, accesses, preview } = request;
  const command = commandOf(request);
  const whole = preview?.kind === 'text' ? preview.text : null;
  return accesses.filter(
    ({ target }) => target !== whole && target !== command && !`${operation}, `.includes(` ${target}, `),
  );
}

function accessWords({ kind, target }: Access): string {
  const words = {
    read: 'reads',
    write: 'writes',
    execute: 'runs',
    fetch: 'fetches',
    search: 'searches the web for',
    delegate: 'delegates to',
  } as const;
  return `${words[kind]} ${target}`;
}

function drawn(preview: Display, columns: number, draw: DrawDisplay): Line[] {
  if (preview.kind === 'diff') return draw({ ...preview, patch: visibleText(preview.patch) }, columns);
  if (preview.kind === 'diffs') {
    const diffs = preview.diffs.map((diff) => ({ ...diff, patch: visibleText(diff.patch) }));
    return draw({ ...preview, diffs }, columns);
  }
  if (preview.kind === 'files') return fileRows(preview, columns);
  if (preview.kind !== 'text') return draw(preview, columns);
  return exactText(preview.text)
    .split('\n')
    .flatMap((text) => chop([{ text }], columns));
}

function fileRows({ paths, total }: Extract<Display, { kind: 'files' }>, columns: number): Line[] {
  const more = total > paths.length ? [`… ${total - paths.length} more`] : [];
  return [...paths.map(exactLine), ...more].flatMap((text) => chop([{ text }], columns));
}
