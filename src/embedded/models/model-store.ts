import { existsSync } from 'node:fs';
import { readdir, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { resolvePath } from '../../lib/files/data-root.ts';
import { didYouMean } from '../../lib/text/nearest.ts';
import { type CuratedModel, curatedModels } from './curated.ts';
import { type GgufFacts, readGguf } from './gguf.ts';
import type { HubFile } from './hub.ts';

/** Where relative paths and `~` lead. */
type Place = { cwd: string; env: NodeJS.ProcessEnv };

/** A downloaded model file. */
export type StoredModel = { name: string; file: string; curated: CuratedModel | null };

/**
 * The models in a data root. A model's name is its short name if it is a recommended one, else its file name.
 */
export class ModelStore {
  readonly folder: string;

  constructor(dataRoot: string) {
    this.folder = path.join(dataRoot, 'models');
  }

  /** Where a file of a hub is stored. */
  place({ repo, file }: HubFile): string {
    return path.join(this.folder, repo.replaceAll('/', '--'), path.posix.basename(file));
  }

  async list(): Promise<StoredModel[]> {
    const entries = await readdir(this.folder, { recursive: true, withFileTypes: true }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return [];
        throw error;
      },
    );
    return entries
      .filter((entry) => entry.isFile() && /\.gguf$/i.test(entry.name))
      .map((entry) => this.#stored(path.join(entry.parentPath, entry.name)))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The readable models, with their metadata. Damaged ones are skipped. */
  async readable(): Promise<(StoredModel & { facts: GgufFacts })[]> {
    const found = await Promise.all(
      (await this.list()).map(async (model) => {
        const facts = await readGguf(model.file).catch((error: unknown) => {
          if (error instanceof UserError) return null;
          throw error;
        });
        return facts && { ...model, facts };
      }),
    );
    return found.filter((model) => model !== null);
  }

  async find(name: string): Promise<StoredModel | null> {
    const wanted = name.toLowerCase();
    return (await this.list()).find((model) => model.name.toLowerCase() === wanted) ?? null;
  }

  /** The metadata of a stored model by name, or of any file by path. */
  async facts(name: string, { cwd, env }: Place): Promise<GgufFacts> {
    if (isPath(name)) return readGguf(resolvePath(name, cwd, env));
    const stored = await this.find(name);
    if (stored) return readGguf(stored.file);
    const listed = curatedModels.some((model) => model.name === name);
    const names = (await this.list()).map((model) => model.name);
    throw new UserError(
      `The model ${name} is not downloaded.${listed ? '' : didYouMean(name, names)}`,
      listed
        ? `Download it with: aca models pull ${name}`
        : 'Run `aca models list` to see downloaded and available models.',
    );
  }

  async remove(name: string): Promise<StoredModel> {
    const stored = await this.find(name);
    if (!stored) {
      const names = (await this.list()).map((model) => model.name);
      throw new UserError(
        `There is no model ${name} to remove.${didYouMean(name, names)}`,
        'Run `aca models list` to see downloaded models.',
      );
    }
    await rm(stored.file, { force: true });
    // The repository's folder may contain other models.
    await rmdir(path.dirname(stored.file)).catch(() => undefined);
    return stored;
  }

  #stored(file: string): StoredModel {
    const curated = curatedModels.find((model) => this.place(model) === file) ?? null;
    return { name: curated?.name ?? path.basename(file).replace(/\.gguf$/i, ''), file, curated };
  }
}

/** Whether a name is written as a file path, whether or not there is such a file. */
export function isPath(name: string): boolean {
  return startsLikePath(name) || /\.gguf$/i.test(name);
}

/**
 * Whether a model name without a provider means a file. Servers use file names as model names, too: one that
 * does not start like a path must exist.
 */
export function meansFile(name: string, { cwd, env }: Place): boolean {
  return startsLikePath(name) || (isPath(name) && existsSync(resolvePath(name, cwd, env)));
}

function startsLikePath(name: string): boolean {
  return /^[.~/]/.test(name) || path.isAbsolute(name);
}
