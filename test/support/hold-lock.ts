import { lockFile } from '../../src/lib/files/lock.ts';

/** Holds a lock until it is killed. */
const lock = await lockFile(process.argv[2] ?? '');
process.stdout.write(lock ? 'held\n' : 'refused\n');
setInterval(() => undefined, 1000);
