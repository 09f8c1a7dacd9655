import type { ExtensionRequests, FileChanges } from '../../../../src/frontends/acp/extension-methods.ts';
import type { ChangedFile, FileMatch } from '../../../../web/chat/connection.ts';
import { changedFiles } from '../../../../web/chat/diff/changed-files.ts';

type FilesDeps = {
  /** Whether there is a session. */
  isOpen(): boolean;
  /** Asks the agent about the session. */
  ask<Method extends keyof ExtensionRequests>(
    method: Method,
    params: Omit<ExtensionRequests[Method]['params'], 'sessionId'>,
  ): Promise<ExtensionRequests[Method]['result']>;
  /** The agent has changed this file on the disk. */
  onRestored(path: string): Promise<void>;
  onChanged(): void;
};

/** The files of a session, and what it changed in them. */
export class SessionFiles {
  readonly #deps: FilesDeps;

  constructor(deps: FilesDeps) {
    this.#deps = deps;
  }

  async complete(query: string): Promise<FileMatch[]> {
    const { paths } = await this.#deps.ask('_aca/files/complete', { query });
    return paths.map((path) => (path.endsWith('/') ? { path, isFolder: true } : { path }));
  }

  /** Empty if there is no session yet. */
  async fileChanges(): Promise<FileChanges[]> {
    if (!this.#deps.isOpen()) return [];
    return (await this.#deps.ask('_aca/changes/list', {})).files;
  }

  async changes(): Promise<ChangedFile[]> {
    return changedFiles(await this.fileChanges());
  }

  async originalText(path: string): Promise<string | null> {
    return (await this.#deps.ask('_aca/changes/original', { path })).text;
  }

  /** Without a path: everything; without ids: all changes of a file. */
  async acceptHunks(path?: string, hunks?: string[]): Promise<void> {
    await this.#deps.ask('_aca/changes/accept', { ...(path && { path }), ...(hunks && { hunks }) });
    this.#deps.onChanged();
  }

  async revertHunks(path?: string, hunks?: string[]): Promise<void> {
    const { kept, restored } = await this.#deps.ask('_aca/changes/revert', {
      ...(path && { path }),
      ...(hunks && { hunks }),
    });
    for (const file of restored) await this.#deps.onRestored(file);
    this.#deps.onChanged();
    if (kept.length > 0) throw new Error(kept.map((one) => `${one.path}: ${one.because}`).join('\n'));
  }
}
