import { lockFile } from '../../src/lib/files/lock.ts';

/**
 * Holds a lock until it is killed; prints whether it has it, and after each input line, whether it still
 * does.
 */
const lock = await lockFile(process.argv[2] ?? '');
process.stdout.write(lock ? 'held\n' : 'refused\n');
process.stdin.on('data', () => process.stdout.write(lock?.isHeld() ? 'held\n' : 'lost\n'));
