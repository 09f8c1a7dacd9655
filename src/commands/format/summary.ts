import type { Exploration, Summary } from '../../contract/display.ts';
import { counted, grouped } from '../../lib/text/counted.ts';

/** `11 lines`, `3 matches in 2 files`, `+3 −1`, `exit 2`. */
export function summaryText(summary: Summary): string {
  switch (summary.kind) {
    case 'count': {
      const { unit, count, total = count, files } = summary;
      const shown = count < total ? `${grouped(count)} of ` : '';
      return `${shown}${counted(total, unit)}${files === undefined || count === 0 ? '' : ` in ${counted(files, 'file')}`}`;
    }
    case 'change': {
      const { added, removed, files } = summary;
      return [files > 1 ? counted(files, 'file') : '', changeText({ added, removed })]
        .filter(Boolean)
        .join(' ');
    }
    case 'exit':
      if (summary.timedOut) return 'timed out';
      return summary.exitCode === null ? 'killed' : `exit ${summary.exitCode}`;
    case 'started':
      return `started as ${summary.id}`;
    case 'interrupted':
      return 'interrupted';
    default:
      return summary satisfies never;
  }
}

/** The same without signs, for screen readers: `3 lines added, 1 line removed`. */
export function spokenSummary(summary: Summary): string {
  if (summary.kind !== 'change') return summaryText(summary);
  const { added, removed, files } = summary;
  const parts = [
    files > 1 ? counted(files, 'file') : '',
    added > 0 ? `${counted(added, 'line')} added` : '',
    removed > 0 ? `${counted(removed, 'line')} removed` : '',
  ];
  return parts.filter(Boolean).join(', ') || 'no change';
}

/** `+3 −1`; only the part that is not zero. */
export function changeText({ added, removed }: { added: number; removed: number }): string {
  const parts = [added > 0 ? `+${grouped(added)}` : '', removed > 0 ? `−${grouped(removed)}` : ''];
  return parts.filter(Boolean).join(' ') || 'no change';
}

/** `read 4 files, searched 2 patterns` */
export function explorationText(calls: readonly { explores: Exploration; title: string }[]): string {
  const kinds = [...new Set(calls.map(({ explores }) => explores))];
  return kinds
    .map((kind) => {
      const titles = calls.flatMap(({ explores, title }) => (explores === kind ? [title] : []));
      return `${VERBS[kind]} ${counted(new Set(titles).size, kind)}`;
    })
    .join(', ');
}

const VERBS = { file: 'read', pattern: 'searched', folder: 'listed' } satisfies Record<Exploration, string>;
