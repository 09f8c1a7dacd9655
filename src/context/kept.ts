import type { Message } from '../contract/message.ts';
import type { Todo } from '../contract/tool.ts';
import { filesChanged } from './known-tools.ts';
import { folderNotesIn } from './nested-instructions.ts';

const MAX_FILES = 200;

const marks = { pending: '[ ]', in_progress: '[~]', done: '[x]' } satisfies Record<Todo['status'], string>;

export type ToKeep = {
  pins: readonly string[];
  todos: readonly Todo[];
  /** The whole conversation so far. */
  messages: readonly Message[];
  /** Messages before this index are no longer sent. */
  keepFrom: number;
};

/** What a summary must not rephrase. Empty if there is nothing. */
export function keptText({ pins, todos, messages, keepFrom }: ToKeep): string {
  const left = messages.slice(0, keepFrom);
  const files = filesChanged(left);
  const named = files.slice(-MAX_FILES);
  const more = files.length > named.length ? [`- and ${files.length - named.length} more`] : [];
  const sections = [
    list(
      'Facts pinned by the user:',
      pins.map((pin) => `- ${pin}`),
    ),
    list(
      'Your task list:',
      todos.map(({ text, status }) => `- ${marks[status]} ${text}`),
    ),
    list('Files changed so far:', [...named.map((file) => `- ${file}`), ...more]),
    ...folderNotesIn(left).map((note) => note.trim()),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

function list(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [title, ...lines].join('\n');
}

/** The summary and the text kept with it, as sent. */
export function sentSummary({ summary, kept }: { summary: string | null; kept: string }): string | undefined {
  const text = [summary ?? '', kept].filter((part) => part !== '').join('\n\n');
  return text === '' ? undefined : text;
}
