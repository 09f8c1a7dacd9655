import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { copyFile, mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { unlessErrno } from '../../lib/files/errno.ts';

/** Where workers put patches, results and sessions, and the submitter reads them. Names look like paths. */
export type ResultStore = {
  put(name: string, content: string | { file: string }): Promise<void>;
  /** Null if there is none. */
  get(name: string): Promise<Buffer | null>;
  close(): void;
};

/** A shared folder, or `s3://bucket/prefix` with the credentials and the endpoint of the environment. */
export async function openStore(place: string, env: NodeJS.ProcessEnv): Promise<ResultStore> {
  if (place.startsWith('s3://')) return (await import('./s3-store.ts')).openS3Store(place, env);
  if (!path.isAbsolute(place))
    throw new UserError(
      `${place} is not a place for results.`,
      'Use an absolute folder or s3://BUCKET/PREFIX.',
    );
  return folderStore(place);
}

function folderStore(root: string): ResultStore {
  return {
    async put(name, content) {
      const file = path.join(root, name);
      await mkdir(path.dirname(file), { recursive: true });
      // Complete, or not there: readers may look at any time.
      const temporary = `${file}.${randomUUID()}.tmp`;
      if (typeof content === 'string') await writeFile(temporary, content, { mode: 0o600 });
      else await copyFile(content.file, temporary);
      await rename(temporary, file);
    },
    async get(name) {
      return unlessErrno(['ENOENT'], null, () => readFileSync(path.join(root, name)));
    },
    close: () => undefined,
  };
}

export const storeNames = (batch: string, task: string) => ({
  result: `${batch}/results/${task}.json`,
  patch: `${batch}/patches/${task}.patch`,
  session: `${batch}/sessions/${task}.jsonl`,
});
