import type { ToolCallContent } from '@agentclientprotocol/sdk';

type Diff = Extract<ToolCallContent, { type: 'diff' }>;

/** A file before and after a call that the user is asked about. */
export type Proposal = { path: string; before: string; after: string };

/** The changes of a call by file. A diff of the protocol holds one place, with lines around it. */
export function diffsByFile(content: readonly ToolCallContent[]): Map<string, Diff[]> {
  const files = new Map<string, Diff[]>();
  for (const diff of content)
    if (diff.type === 'diff') files.set(diff.path, [...(files.get(diff.path) ?? []), diff]);
  return files;
}

/** The whole file if all places are found in its text, in order; otherwise the places alone. */
export function proposal(path: string, diffs: readonly Diff[], current: string | null): Proposal {
  const whole = current === null ? null : applied(current.replaceAll('\r\n', '\n'), diffs);
  if (whole !== null) return { path, before: current?.replaceAll('\r\n', '\n') ?? '', after: whole };
  return {
    path,
    before: diffs.map(({ oldText }) => oldText ?? '').join('\n'),
    after: diffs.map(({ newText }) => newText).join('\n'),
  };
}

function applied(text: string, diffs: readonly Diff[]): string | null {
  let done = '';
  let rest = text;
  for (const { oldText, newText } of diffs) {
    if (oldText == null) return newText;
    const at = lineStart(rest, oldText);
    if (at < 0) return null;
    done += rest.slice(0, at) + newText;
    rest = rest.slice(at + oldText.length);
  }
  return done + rest;
}

/** Where these lines begin at the beginning of a line; -1 if nowhere. */
function lineStart(text: string, lines: string): number {
  if (text.startsWith(lines)) return 0;
  const at = text.indexOf(`\n${lines}`);
  return at < 0 ? -1 : at + 1;
}
