import path from 'node:path';
import type { ToolCallContent, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk';
import { type Display, type Exploration, linkText } from '../../../contract/display.ts';
import type { Access } from '../../../contract/permission.ts';
import { patchHunks } from './patch-hunks.ts';

/** The protocol's kind of a call, from what it accesses. */
export function kindOf(accesses: readonly Access[], explores?: Exploration): ToolKind {
  if (accesses.some(({ kind }) => kind === 'execute')) return 'execute';
  if (accesses.some(({ kind, itself }) => kind === 'write' && itself)) return 'delete';
  if (accesses.some(({ kind }) => kind === 'write')) return 'edit';
  if (accesses.some(({ kind }) => kind === 'fetch')) return 'fetch';
  if (accesses.some(({ kind }) => kind === 'delegate')) return 'think';
  if (explores === 'pattern' || explores === 'folder') return 'search';
  return accesses.some(({ kind }) => kind === 'read') ? 'read' : 'other';
}

/** The files of a call, for editors that follow it. */
export function locationsOf(accesses: readonly Access[], cwd: string): ToolCallLocation[] {
  const files = accesses.filter(({ kind }) => kind === 'read' || kind === 'write');
  return [...new Set(files.map(({ target }) => path.resolve(cwd, target)))].map((file) => ({ path: file }));
}

/** What a result shows to people: a diff for each hunk of a change, text for everything else. */
export function contentOf(display: Display, cwd: string): ToolCallContent[] {
  switch (display.kind) {
    case 'diff':
      return diffsOf(display, cwd);
    case 'diffs':
      return display.diffs.flatMap((diff) => diffsOf(diff, cwd));
    case 'command':
      return display.output === '' ? [] : [textContent(fenced(display.output))];
    case 'files':
      return [textContent(display.paths.join('\n'))];
    case 'links':
      return [textContent(linkText(display.links))];
    case 'text':
      return [textContent(display.text)];
    case 'todos':
      return [];
    default:
      return display satisfies never;
  }
}

/** Where a change begins, so that an editor can show it. */
export function changedLines(display: Display, cwd: string): ToolCallLocation[] {
  const diffs = display.kind === 'diff' ? [display] : display.kind === 'diffs' ? display.diffs : [];
  return diffs.map(({ path: file, patch }) => ({
    path: path.resolve(cwd, file),
    line: patchHunks(patch)[0]?.changed ?? null,
  }));
}

export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } };
}

/** As a block of code, whatever it contains. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text.endsWith('\n') ? text : `${text}\n`}${fence}`;
}

function diffsOf({ path: file, patch }: { path: string; patch: string }, cwd: string): ToolCallContent[] {
  return patchHunks(patch).map(({ oldText, newText, oldLine, line }) => ({
    type: 'diff',
    path: path.resolve(cwd, file),
    oldText,
    newText,
    // The protocol does not say where in the file the texts are.
    _meta: { aca: { oldLine, line } },
  }));
}

type Todo = { text: string; status: 'pending' | 'in_progress' | 'done' };

export function planEntry({ text, status }: Todo) {
  return {
    content: text,
    priority: 'medium' as const,
    status: status === 'done' ? ('completed' as const) : status,
  };
}
