import { stores } from './shared-stores.ts';

/** Adds its own items to a store that other processes add to, too. */
const [name = '', root = '', own = '', count = '1'] = process.argv.slice(2);
for (let i = 0; i < Number(count); i++) await stores[name]?.add(root, `${own}-${i}`);
