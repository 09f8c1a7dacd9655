import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { envSecrets } from '../../firewall/env-secrets.ts';
import { createFirewall } from '../../firewall/firewall.ts';
import { dataKey } from '../../lib/files/data-key.ts';
import { dataRoot } from '../../lib/files/data-root.ts';
import { sourceStack } from '../../lib/source-stack.ts';
import { version } from '../../lib/version.ts';
import { createLog, logFileIn } from '../../observability/log/log.ts';
import type { Host } from '../host.ts';
import { loadSettings } from '../settings.ts';
import { runningProgram } from '../update/install-method.ts';

/** Which installation runs: a stack trace names files of the source, which are the same in all of them. */
export function installation({ program }: Host): string {
  return `ai-code-assistant ${version}, ${runningProgram(program).program}`;
}

/** Logs a bug. Returns the log file, or null if it could not be written. */
export function logCrash(error: unknown, host: Host): string | null {
  const root = dataRoot(host.env);
  const { level, file = logFileIn(root) } = logSettings(host);
  if (level === 'off') return null;
  const secrets = envSecrets(host.env);
  const firewall = createFirewall({
    secrets: [() => secrets],
    key: () => dataKey(path.join(root, 'firewall.key')),
  });
  let written: string | null = file;
  const log = createLog({
    file,
    level,
    sessionId: '',
    redact: (value) => firewall.hide(value),
    onTrouble: () => {
      written = null;
    },
  });
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  log.write({
    level: 'error',
    message: `uncaught error: ${message}`,
    metadata: { stack: sourceStack(stack ?? ''), program: installation(host) },
  });
  return written;
}

/** Unreadable settings are no reason to lose the stack trace. */
function logSettings(host: Host): { level: 'off' | 'error'; file?: string } {
  try {
    const { level, file } = loadSettings({}, host).config.log;
    return { level: level === 'off' ? 'off' : 'error', ...(file !== undefined && { file }) };
  } catch (error) {
    if (error instanceof UserError) return { level: 'error' };
    throw error;
  }
}
