import type { SessionSummary } from '../../contract/session.ts';
import { ago } from '../../lib/text/ago.ts';

type Place = { cwd: string; current?: string };

/** One line per session: its id, last use, title or first prompt, and its folder if different. */
export function sessionLines(sessions: readonly SessionSummary[], { cwd, current }: Place): string[] {
  const rows = sessions.map((summary) => {
    const { id, updatedAt, messageCount, title, firstPrompt, workingDirectory } = summary;
    const elsewhere = workingDirectory === cwd ? '' : `  (${workingDirectory})`;
    return {
      mark: id === current ? '*' : ' ',
      id: id.slice(0, 8),
      when: ago(updatedAt),
      size: `${messageCount} ${messageCount === 1 ? 'message' : 'messages'}`,
      name: `${title ?? firstPrompt}${elsewhere}`,
    };
  });
  const width = (of: 'when' | 'size') => Math.max(0, ...rows.map((row) => row[of].length));
  const [when, size] = [width('when'), width('size')];
  return rows.map(
    (row) => `${row.mark} ${row.id}  ${row.when.padEnd(when)}  ${row.size.padEnd(size)}  ${row.name}`,
  );
}
