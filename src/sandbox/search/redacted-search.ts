import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { GrepQuery } from '../../contract/tool.ts';
import type { Guard } from '../guard.ts';
import { aroundMatches } from './around-match.ts';
import { type GrepHit, grepReader, PATH_START } from './grep-records.ts';
import { ripgrep } from './ripgrep.ts';
import { textOf } from './verify-hits.ts';

export type Redaction = {
  guard: Guard;
  /** A text as the model may see it. */
  redact(text: string): string;
  signal: AbortSignal;
  /** The arguments for the query, except its pattern and the file names. */
  argsOf(query: GrepQuery): readonly string[];
};

const PLACEHOLDER = /\[secret:[\w.-]{1,64}:[0-9a-f]{8}\]/g;

/**
 * The hits in a file with secrets, as the model may see it: neither a line nor a count reveals whether a
 * guess at a secret is right. Null for a file without secrets: its hits stay.
 */
export async function hitsInRedacted(
  file: string,
  query: GrepQuery,
  { guard, redact, signal, argsOf }: Redaction,
): Promise<readonly GrepHit[] | null> {
  const text = await textOf(file, guard);
  const shown = redact(text);
  if (shown === text) return null;
  // A pattern that contains a whole secret matches its placeholder.
  const pattern = redact(query.pattern).replaceAll(PLACEHOLDER, (word) =>
    word.replaceAll(/[[\].-]/g, '\\$&'),
  );
  const hits: GrepHit[] = [];
  const folder = mkdtempSync(path.join(tmpdir(), 'aca-search-'));
  const copy = path.join(folder, 'text');
  writeFileSync(copy, shown, { mode: 0o600 });
  const fd = openSync(copy, 'r');
  rmSync(folder, { recursive: true });
  try {
    await ripgrep({
      args: [...argsOf({ ...query, pattern }), '--'],
      cwd: tmpdir(),
      input: { fd, name: `${PATH_START}text` },
      signal,
      separator: '\n',
      onRecord: grepReader({ onFile: () => true, onLine: () => true, onHit: (hit) => hits.push(hit) }),
    });
  } finally {
    closeSync(fd);
  }
  return aroundMatches(hits, { whole: async () => shown });
}
