import { readFileSync, rmSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { unlessErrno } from '../../lib/files/errno.ts';
import { makeFolder } from '../../lib/files/make-folder.ts';
import { syncFolder } from '../../lib/files/sync-folder.ts';

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
      makeFolder(path.dirname(file));
      // Complete and on the disk, or not there: readers may look at any time. Only one delivery has this name.
      const temporary = `${file}.tmp`;
      try {
        const bytes = typeof content === 'string' ? content : readFileSync(content.file);
        await writeFile(temporary, bytes, { mode: 0o600, flush: true });
        await rename(temporary, file);
        syncFolder(path.dirname(file));
      } catch (error) {
        rmSync(temporary, { force: true });
        throw error;
      }
    },
    async get(name) {
      return unlessErrno(['ENOENT'], null, () => readFileSync(path.join(root, name)));
    },
    close: () => undefined,
  };
}

/** Each delivery of a task has names of its own: those of a worker that was overtaken are not read. */
export const storeNames = (batch: string, task: string, delivery: string) => ({
  result: `${batch}/results/${task}.${delivery}.json`,
  patch: `${batch}/patches/${task}.${delivery}.patch`,
  session: `${batch}/sessions/${task}.${delivery}.jsonl`,
});
