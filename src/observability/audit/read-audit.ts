import { breathing } from '../../lib/async/breathing.ts';
import { readTextIfAny } from '../../lib/files/read-text.ts';
import { filesOfLog } from '../log/rotating-file.ts';
import type { AuditRecord } from './audit.ts';

export type AuditQuery = {
  /** The id of a session or a prefix. */
  session?: string;
  /** Only refused calls. */
  denied?: boolean;
  /** Maximum number of judged calls; the latest are returned. */
  tail: number;
};

/** A judged call and, once it has run, its outcome. */
export type AuditEntry = Extract<AuditRecord, { type: 'judged' }> & {
  outcome?: Pick<Extract<AuditRecord, { type: 'outcome' }>, 'success' | 'exitCode' | 'durationMs'>;
};

/** Oldest first. Skips lines that are not about calls. */
export async function readAudit(file: string, { session, denied, tail }: AuditQuery): Promise<AuditEntry[]> {
  const entries = new Map<string, AuditEntry>();
  const breathe = breathing();
  for (const name of filesOfLog(file)) {
    for (const line of ((await readTextIfAny(name)) ?? '').split('\n')) {
      await breathe();
      const record = parseRecord(line);
      if (!record || (session !== undefined && !record.session.startsWith(session))) continue;
      const key = `${record.session} ${record.callId}`;
      if (record.type === 'judged') entries.set(key, record);
      else {
        const { success, exitCode, durationMs } = record;
        const entry = entries.get(key);
        if (entry) entry.outcome = { success, durationMs, ...(exitCode !== undefined && { exitCode }) };
      }
    }
  }
  return [...entries.values()].filter(({ verdict }) => !denied || verdict === 'deny').slice(-tail);
}

function parseRecord(line: string): AuditRecord | null {
  if (!line.startsWith('{')) return null;
  try {
    // Written only by this program; a line of complete JSON is a complete record.
    const { seq: _, prev: _before, hash: _own, torn: _torn, headless: _less, ...record } = JSON.parse(line);
    return record.type === 'judged' || record.type === 'outcome' ? (record as AuditRecord) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
