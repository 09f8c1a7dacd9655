import type { HealthCheck, LogAccess } from '../../contract/command.ts';
import { lastWarnings } from '../../observability/log/last-warnings.ts';
import { logFileIn } from '../../observability/log/log.ts';
import type { Settings } from '../settings.ts';
import { ok, warn } from './check.ts';

const DAY_MS = 86_400_000;
const MOST_WARNINGS = 50;

type Warnings = Pick<LogAccess, 'file' | 'warnings'>;

/** The log shared by all sessions, for use outside a session. */
export function logOf({ config, root }: Pick<Settings, 'config' | 'root'>): Warnings {
  const { file = logFileIn(root) } = config.log;
  return { file, warnings: (count) => lastWarnings(root, count, file) };
}

/** Counts warnings of the last day only. */
export async function logCheck({ file, warnings }: Warnings): Promise<HealthCheck> {
  const since = new Date(Date.now() - DAY_MS).toISOString();
  const recent = (await warnings(MOST_WARNINGS)).filter(({ timestamp }) => timestamp > since);
  const last = recent.at(-1);
  if (!last) return ok('log', `no warnings today; log file: ${file}`);
  const count = `${recent.length === MOST_WARNINGS ? 'over ' : ''}${recent.length}`;
  return warn(
    'log',
    `${count} warnings today; latest: ${last.message.split('\n')[0]}`,
    `Run /diag in a session to see them all; log file: ${file}`,
  );
}
