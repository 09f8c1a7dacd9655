import { setValue } from '../../src/config/edit.ts';
import { trustFolder } from '../../src/config/trust.ts';

/** Sets its own keys in a shared settings file, and trusts its own folder. */
const [file = '', home = '', own = '', count = '1'] = process.argv.slice(2);
for (let i = 0; i < Number(count); i++)
  await setValue(file, ['projects', `${own}-${i}`, 'granted', 'Bash(ls)'], '2026-01-01T00:00:00Z');
await trustFolder(home, own, []);
