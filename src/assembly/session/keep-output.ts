import path from 'node:path';
import { writeAtomic } from '../../lib/files/atomic-write.ts';

/** Null if it cannot be written: the model then has only the head and the tail. */
export async function keepOutput(folder: string, callId: string, text: string): Promise<string | null> {
  const file = path.join(folder, `${callId.replaceAll(/[^\w-]/g, '_').slice(0, 80)}.txt`);
  return writeAtomic(file, text, 0o600).then(
    () => file,
    () => null,
  );
}
