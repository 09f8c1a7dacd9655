import type { ComponentChildren } from 'preact';
import { memo } from '../memo.ts';
import { plural } from '../text/format.ts';
import { visible } from '../text/visible.ts';
import type { DiffRow } from './diff-rows.ts';

/** Rows of a difference, one below the other. */
export const DiffView = memo(({ rows, label }: { rows: readonly DiffRow[]; label: string }) => {
  const hasNumbers = rows.some((row) => row.sign !== '…' && row.line !== null);
  return (
    <section class={hasNumbers ? 'diff numbered' : 'diff'} aria-label={label}>
      <div class="diff-rows">
        {rows.map((row, index) => (
          <Row key={index} row={row} />
        ))}
      </div>
    </section>
  );
});

const NAMES = { '+': 'added', '-': 'removed', ' ': 'same' };

function Row({ row }: { row: DiffRow }): ComponentChildren {
  if (row.sign === '…') return <div class="diff-row left-out">{plural(row.count, 'unchanged line')}</div>;
  return (
    <div class={`diff-row ${NAMES[row.sign]}`}>
      <span class="number" aria-hidden="true">
        {row.line}
      </span>
      <span class="sign">{row.sign === '-' ? '−' : row.sign}</span>
      <span class="text">
        <Marked row={row} />
      </span>
    </div>
  );
}

function Marked({ row }: { row: Exclude<DiffRow, { sign: '…' }> }) {
  const { text, changed } = row;
  if (!changed) return <>{visible(text)}</>;
  const [start, end] = changed;
  return (
    <>
      {visible(text.slice(0, start))}
      {start < end && <mark>{visible(text.slice(start, end))}</mark>}
      {visible(text.slice(end))}
    </>
  );
}
