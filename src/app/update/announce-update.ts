import { existsSync } from 'node:fs';
import path from 'node:path';
import { version } from '../../lib/version.ts';
import type { Host } from '../host.ts';
import type { Settings } from '../settings.ts';

/** Adds a notice about a newer version to the messages before the first prompt. */
export async function announceUpdate(
  { config, root }: Pick<Settings, 'config' | 'root'>,
  { env, program }: Host,
  news: string[],
): Promise<void> {
  // Avoids loading the update module when no check has run yet.
  if (!existsSync(path.join(root, 'cache', 'update.json'))) return;
  const [{ updateNotice }, { runsFromSource }] = await Promise.all([
    import('./notice.ts'),
    import('./install-method.ts'),
  ]);
  const notice = updateNotice({ root, config, env, fromSource: runsFromSource(program) }, version);
  if (notice !== null) news.push(notice);
}
