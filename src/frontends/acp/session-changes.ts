import { readFileSync } from 'node:fs';
import { RequestError } from '@agentclientprotocol/sdk';
import { fileHistory } from '../../app/conversation/file-history.ts';
import { shownFile } from '../../commands/format/shown-file.ts';
import type { FileHistory } from '../../contract/command.ts';
import type { AgentEvent } from '../../contract/event.ts';
import type { ChangeReview, ChosenChange } from '../../contract/review.ts';
import { unlessErrno } from '../../lib/files/errno.ts';
import { unsavedText } from '../../sandbox/files/editor-files.ts';
import type { UndoStore } from '../../session/undo/undo-store.ts';
import type { Client } from './client.ts';
import {
  BUSY_CODE,
  type ChosenChanges,
  CONFLICT_CODE,
  type FileChanges,
  type RestoredFiles,
} from './extension-methods.ts';

type ChangesDeps = {
  undo(): UndoStore;
  client: Client;
  cwd: string;
  isBusy(): boolean;
};

/** The file changes of one session, for a client that shows them and lets the user decide. */
export class SessionChanges {
  readonly #deps: ChangesDeps;

  constructor(deps: ChangesDeps) {
    this.#deps = deps;
  }

  async list(): Promise<{ files: FileChanges[] }> {
    const { files } = await this.#review();
    return { files };
  }

  async original(path: string): Promise<{ text: string | null }> {
    return { text: (await this.#review()).original(path) };
  }

  async revert(wanted: ChosenChanges): Promise<RestoredFiles> {
    this.#requireIdle();
    const review = await this.#review();
    const chosen = this.#chosen(review, wanted);
    await this.#requireSaved(chosen.map(({ path }) => path));
    const report = await review.revert(chosen);
    this.#deps.client.changesChanged();
    const [left] = report.kept;
    if (left && report.restored.length + report.removed.length === 0)
      throw conflict(`${this.#name(left.path)} was left alone: ${left.because}.`);
    return report;
  }

  async accept(wanted: ChosenChanges): Promise<Record<string, never>> {
    const review = await this.#review();
    await review.accept(this.#chosen(review, wanted));
    this.#deps.client.changesChanged();
    return {};
  }

  undo(): Promise<RestoredFiles> {
    return this.#takeBack((history) => history.undo());
  }

  redo(): Promise<RestoredFiles> {
    return this.#takeBack((history) => history.redo());
  }

  async #takeBack(which: (history: FileHistory) => ReturnType<FileHistory['undo']>): Promise<RestoredFiles> {
    this.#requireIdle();
    const pending = await which(this.#history());
    if (!pending) return { restored: [], removed: [], kept: [] };
    await this.#requireSaved(pending.files.map(({ path }) => path));
    const { kept, ...done } = await pending.apply();
    this.#deps.client.changesChanged();
    const uncertain = pending.uncertain.map(({ path, because }) => ({ path, because }));
    return { ...done, kept: [...kept, ...uncertain] };
  }

  /** What the client chose, in the files as they are now. */
  #chosen({ files }: ChangeReview, { path, hunks }: ChosenChanges): ChosenChange[] {
    if (path === undefined) return files.map((file) => ({ path: file.path }));
    const file = files.find((one) => one.path === path);
    if (!file) throw conflict(`${this.#name(path)} has no changes to review.`);
    if (!hunks) return [{ path }];
    return hunks.map((id) => {
      const hunk = file.hunks.findIndex((one) => one.id === id);
      if (hunk < 0) throw conflict(`${this.#name(path)} has changed since its changes were listed.`);
      return { path, hunk };
    });
  }

  #review(): Promise<ChangeReview> {
    return this.#history().changes('session');
  }

  #history(): FileHistory {
    return fileHistory(this.#deps.undo());
  }

  /** Changes of a run and of the user are recorded one after another. */
  #requireIdle(): void {
    if (this.#deps.isBusy())
      throw new RequestError(BUSY_CODE, 'The assistant is working. Wait until it is done, or cancel.');
  }

  async #requireSaved(paths: readonly string[]): Promise<void> {
    const { buffers } = this.#deps.client;
    if (!buffers) return;
    for (const path of paths) {
      const bytes = unlessErrno(['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES'], null, () => readFileSync(path));
      if (bytes && (await unsavedText(buffers, path, bytes)) !== null)
        throw conflict(`${this.#name(path)} has unsaved changes in the editor. Save it, then try again.`);
    }
  }

  #name(path: string): string {
    return shownFile(path, this.#deps.cwd);
  }
}

function conflict(message: string): RequestError {
  return new RequestError(CONFLICT_CODE, message);
}

export function mayChangeFiles({ display }: Extract<AgentEvent, { type: 'tool_end' }>): boolean {
  return display?.kind === 'diff' || display?.kind === 'diffs' || display?.kind === 'command';
}
