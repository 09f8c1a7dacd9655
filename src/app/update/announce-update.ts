import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import type { Settings } from '../open-assistant.ts';

/** Puts the news of a newer version among what is told before the first prompt. */
export async function tellUpdate(
  { config, root }: Pick<Settings, 'config' | 'root'>,
  { env }: Pick<Terminal, 'env'>,
  news: string[],
): Promise<void> {
  // Nothing is loaded where nothing was ever learnt.
  if (!existsSync(path.join(root, 'cache', 'update.json'))) return;
  const [{ updateNotice }, { version }] = await Promise.all([
    import('./notice.ts'),
    import('./this-install.ts'),
  ]);
  const notice = updateNotice({ root, config, env }, version);
  if (notice !== null) news.push(notice);
}
