import { setValue } from '../../src/config/edit.ts';
import { trustFolder } from '../../src/config/trust.ts';
import { LockedError } from '../../src/lib/files/lock.ts';

/** Sets its own keys in a shared settings file, and trusts its own folder. */
const [file = '', home = '', own = '', count = '1'] = process.argv.slice(2);
for (let i = 0; i < Number(count); i++)
  await made(() =>
    setValue(file, ['projects', `${own}-${i}`, 'granted', 'Bash(ls)'], '2026-01-01T00:00:00Z'),
  );
await made(() => trustFolder(home, own, []));

/** On a busy machine others may have all the turns: an update that was refused is tried again. */
async function made(update: () => Promise<unknown>): Promise<void> {
  try {
    await update();
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    await made(update);
  }
}
