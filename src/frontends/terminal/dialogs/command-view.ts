import { sandboxLine } from '../../../commands/format/sandbox.ts';
import type { CommandPart, PermissionRequest, TextSpan } from '../../../contract/permission.ts';
import { exactText } from '../../../lib/text/visible-text.ts';
import { chop } from '../text/wrap.ts';
import type { Line, Span, Style } from '../view/types.ts';
import { hanging } from './hanging.ts';
import type { Frame, Look } from './look.ts';

/** The command that a request is about; null if it is about something else. */
export function commandOf({ parts, sandbox, accesses }: PermissionRequest): string | null {
  if (!parts && !sandbox) return null;
  return accesses.find(({ kind }) => kind === 'execute')?.target ?? null;
}

/** The command once, its risky parts marked where they are. */
export function commandRows(command: string, request: PermissionRequest, { columns, look }: Frame): Line[] {
  const lines: Span[][] = [[]];
  for (const { text, style } of markedSpans(command, request.parts ?? [], look)) {
    const [first = '', ...rest] = exactText(text).split('\n');
    const piece = (words: string): Span => ({ text: words, ...(style && { style }) });
    lines.at(-1)?.push(piece(first));
    for (const line of rest) lines.push([piece(line)]);
  }
  // Commands keep every space: it may be significant.
  return lines.flatMap((line) => chop(line, columns - 2)).map((row) => [{ text: '  ' }, ...row]);
}

/** Every risky part with its reason, for a command whose end is not visible. */
export function riskyRows({ parts = [] }: PermissionRequest, { columns, look }: Frame): Line[] {
  return riskyOf(parts).flatMap((part) =>
    hanging('! ', `${part.text}   (${part.because})`, { columns, style: styleOf(part, look) }),
  );
}

/** Risky parts that cannot be marked in the command, because it is not known where they are in it. */
export function unmarkedRows(request: PermissionRequest, frame: Frame): Line[] {
  const risky = riskyOf(request.parts ?? []);
  const marked = risky.filter(({ span }) => span);
  const hidden = risky.filter(({ span, text }) => !span && !marked.some((one) => one.text.includes(text)));
  return hidden.length > 0 && risky.length > 1 ? riskyRows({ ...request, parts: hidden }, frame) : [];
}

export function sandboxRows({ sandbox }: PermissionRequest, { columns, look }: Frame): Line[] {
  if (!sandbox) return [];
  const isBare = sandbox.kind === 'host';
  const style = isBare ? look.warn : look.quiet;
  return [
    ...hanging(isBare ? '! ' : '', sandboxLine(sandbox), { columns, style }),
    ...(sandbox.fallback === undefined ? [] : hanging('! ', sandbox.fallback, { columns, style: look.warn })),
  ];
}

function riskyOf(parts: readonly CommandPart[]): CommandPart[] {
  return parts.filter(({ verdict }) => verdict !== 'allow');
}

function styleOf({ verdict }: CommandPart, look: Look): Style {
  return verdict === 'deny' ? look.danger : look.warn;
}

/** A mark on the whole command would say nothing. */
function markedSpans(command: string, parts: readonly CommandPart[], look: Look): Span[] {
  const isWhole = ({ start, end }: TextSpan) => command.slice(start, end).trim() === command.trim();
  const marks = riskyOf(parts)
    .flatMap((part) =>
      part.span && !isWhole(part.span) ? [{ ...part.span, style: styleOf(part, look) }] : [],
    )
    .sort((a, b) => a.start - b.start);
  const spans: Span[] = [];
  let at = 0;
  for (const { start, end, style } of marks) {
    if (start < at) continue;
    spans.push({ text: command.slice(at, start) });
    spans.push({ text: command.slice(start, end), style: { ...style, underline: true } });
    at = end;
  }
  return [...spans, { text: command.slice(at) }];
}
