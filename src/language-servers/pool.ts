import path from 'node:path';
import type { LanguageServerState } from '../contract/code-intelligence.ts';
import { isInside } from '../lib/paths/inside.ts';
import { findProgram, rootOf } from './find-program.ts';
import { type Language, languageOf } from './languages.ts';
import { LanguageServer, type ServerOptions, type StartServer } from './server.ts';

export type PoolOptions = {
  languages: readonly Language[];
  /** The folders of the project. */
  folders: readonly string[];
  installed(name: string): string | null;
  start: StartServer;
  limits?: ServerOptions['limits'];
};

/** The servers of a project: one per root and language, started when one of their files is used. */
export class LanguageServerPool {
  readonly #options: PoolOptions;
  readonly #servers = new Map<string, LanguageServer>();
  /** By folder and ending, so that the disk is not searched for every file. */
  readonly #found = new Map<string, LanguageServer | null>();

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Null if no server for it is installed. */
  serverFor(file: string): LanguageServer | null {
    const { languages, folders } = this.#options;
    const folder = folders.find((one) => isInside(one, file));
    const language = languageOf(file, languages);
    if (folder === undefined || !language) return null;
    const key = `${language.name}\0${path.dirname(file)}`;
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const server = this.#open(language, rootOf(file, language, folder), folder);
    this.#found.set(key, server);
    return server;
  }

  /** Tells all servers whose root contains it. */
  noticed(file: string, change: { isNew: boolean }): void {
    for (const server of this.#servers.values())
      if (isInside(server.root, file)) server.noticed(file, change);
    // A new mark may move the root.
    if (change.isNew && this.#isMarker(file)) this.#found.clear();
  }

  servers(): LanguageServer[] {
    return [...this.#servers.values()];
  }

  states(): LanguageServerState[] {
    return this.servers().map((server) => server.state());
  }

  /** False when there is no server of that name. */
  async restart(name: string): Promise<boolean> {
    const named = this.servers().filter((server) => server.state().name === name);
    await Promise.all(named.map((server) => server.restart()));
    this.#found.clear();
    return named.length > 0;
  }

  async close(): Promise<void> {
    await Promise.all(this.servers().map((server) => server.close()));
  }

  #open(language: Language, root: string, folder: string): LanguageServer | null {
    const { installed, start, limits } = this.#options;
    const key = `${language.name}\0${root}`;
    const open = this.#servers.get(key);
    if (open) return open;
    const program = findProgram(language, root, { folder, installed });
    if (!program) return null;
    const server = new LanguageServer({ language, root, program, start, ...(limits && { limits }) });
    this.#servers.set(key, server);
    return server;
  }

  #isMarker(file: string): boolean {
    const name = path.basename(file);
    return this.#options.languages.some(({ markers }) => markers.includes(name));
  }
}
