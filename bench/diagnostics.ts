import { playEdits } from '../test/support/edited-repository.ts';
import type { ToolRow } from './tools.ts';

const EDITS = 504;

/** How long edits wait for a language server: TypeScript with project references, a third of them by commands. */
export async function diagnosticsRows(): Promise<ToolRow[]> {
  const rows: ToolRow[] = [];
  for (const sessions of [1, 8]) {
    const endings: (() => Promise<void>)[] = [];
    try {
      const whenDone = (end: () => Promise<void>) => void endings.unshift(end);
      const { waits } = await playEdits({ sessions, edits: EDITS, limitMs: 1_500, whenDone });
      const sorted = waits.toSorted((a, b) => a - b);
      const share = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0;
      const who = sessions === 1 ? 'a session' : `${sessions} sessions at once`;
      rows.push(
        { what: `edit with its diagnostics, ${who}, median`, ms: share(0.5) },
        { what: `edit with its diagnostics, ${who}, 95 of 100`, ms: share(0.95), target: 'under 1500' },
      );
    } finally {
      for (const end of endings) await end();
    }
  }
  return rows;
}
