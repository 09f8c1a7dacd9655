import { existsSync } from 'node:fs';
import { rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { resolvePath } from '../../lib/files/data-root.ts';
import { unlessErrno } from '../../lib/files/errno.ts';
import { filesBelow } from '../../lib/files/files-below.ts';
import { lockFile } from '../../lib/files/lock.ts';
import { didYouMean } from '../../lib/text/nearest.ts';
import { type CuratedModel, curatedModels } from './curated.ts';
import { type GgufFacts, readGguf } from './gguf.ts';
import type { HubFile } from './hub.ts';

/** Where relative paths and `~` lead. */
type Place = { cwd: string; env: NodeJS.ProcessEnv };

/** A downloaded model file. */
export type StoredModel = { name: string; file: string; curated: CuratedModel | null };

/** The part of a model that has been downloaded, and what would complete it. */
export type PartialModel = StoredModel & { part: string; bytes: number; wanted: HubFile };

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
    const files = this.#files().filter((file) => /\.gguf$/i.test(file));
    return files.map((file) => this.#stored(file)).sort(byName);
  }

  /** Downloads that broke off, or are under way. */
  async partial(): Promise<PartialModel[]> {
    const parts = this.#files().filter((file) => /\.gguf\.part$/i.test(file));
    const found = parts.map(async (part): Promise<PartialModel> => {
      const stored = this.#stored(part.slice(0, -'.part'.length));
      const { size } = await stat(part);
      return { ...stored, part, bytes: size, wanted: stored.curated ?? this.#origin(stored.file) };
    });
    return (await Promise.all(found)).sort(byName);
  }

  /** All models, each with its metadata or what is wrong with it. */
  async examined(): Promise<(StoredModel & ({ facts: GgufFacts } | { facts: null; fault: string }))[]> {
    return Promise.all(
      (await this.list()).map(async (model) => {
        try {
          return { ...model, facts: await readGguf(model.file) };
        } catch (error) {
          if (!(error instanceof UserError)) throw error;
          return { ...model, facts: null, fault: error.message };
        }
      }),
    );
  }

  /** The readable models, with their metadata. Damaged ones are skipped. */
  async readable(): Promise<(StoredModel & { facts: GgufFacts })[]> {
    return (await this.examined()).filter((model) => model.facts !== null);
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
    throw new UserError(
      `The model ${name} is not downloaded.${listed ? '' : didYouMean(name, names(await this.list()))}`,
      listed
        ? `Download it with: aca models pull ${name}`
        : 'Run `aca models list` to see downloaded and available models.',
    );
  }

  /** Deletes a model, and what a broken download of it left. Returns the deleted files. */
  async remove(name: string): Promise<string[]> {
    const wanted = name.toLowerCase();
    const partial = await this.partial();
    const known = [...(await this.list()), ...partial];
    const { file } = known.find((model) => model.name.toLowerCase() === wanted) ?? {};
    if (file === undefined) {
      throw new UserError(
        `There is no model ${name} to remove.${didYouMean(name, names(known))}`,
        'Run `aca models list` to see downloaded models.',
      );
    }
    const lock = await lockFile(file);
    if (!lock) {
      throw new UserError(
        `Another process is downloading ${name}.`,
        'Stop it first, or wait until it is done.',
      );
    }
    const files = [file, `${file}.part`, `${file}.part.etag`].filter((one) => existsSync(one));
    await Promise.all(files.map((one) => rm(one, { force: true }))).finally(() => lock.release());
    // The repository's folder may contain other models.
    await rmdir(path.dirname(file)).catch(() => undefined);
    return files.filter((one) => !one.endsWith('.etag'));
  }

  #files(): string[] {
    return unlessErrno(['ENOENT'], [], () => filesBelow(this.folder));
  }

  /** The repository and file that are stored here; the reverse of `place`. */
  #origin(file: string): HubFile {
    return { repo: path.basename(path.dirname(file)).replace('--', '/'), file: path.basename(file) };
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

function names(models: readonly StoredModel[]): string[] {
  return models.map((model) => model.name);
}

function byName(a: StoredModel, b: StoredModel): number {
  return a.name < b.name ? -1 : 1;
}
