import { lockFile } from '../../src/lib/files/lock.ts';

/** Holds a lock until it is killed; tells whether it has it, and when asked again by a line, whether it still has. */
const lock = await lockFile(process.argv[2] ?? '');
process.stdout.write(lock ? 'held\n' : 'refused\n');
process.stdin.on('data', () => process.stdout.write(lock?.isHeld() ? 'held\n' : 'lost\n'));
