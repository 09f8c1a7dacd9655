import path from 'node:path';
import * as vscode from 'vscode';
import type { FileChanges } from '../../../../src/frontends/acp/extension-methods.ts';
import type { SessionFiles } from '../chat/session-files.ts';
import { openDocument } from '../documents/documents.ts';
import { linesOf } from './lines.ts';
import { hunkAt, type PlacedHunk, placeHunks } from './place-hunks.ts';
import { VirtualTexts } from './virtual-texts.ts';

/** The text of a file without the changes of the session. */
const ORIGINAL = 'aca-original';
/** The other side of a file that was deleted. */
const DELETED = 'aca-deleted';

/** The changes of the session: diffs, and what the user decides about each hunk. */
export class Review implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #session: () => SessionFiles;
  readonly #texts = new VirtualTexts();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#changed.event;
  readonly #parts: vscode.Disposable[];
  #files: FileChanges[] = [];
  #listing: Promise<void> | null = null;
  #isStale = false;

  /** `session`: the files of the session that is shown. */
  constructor(session: () => SessionFiles) {
    this.#session = session;
    const { workspace, languages } = vscode;
    this.#parts = [
      workspace.registerTextDocumentContentProvider(ORIGINAL, this.#texts),
      workspace.registerTextDocumentContentProvider(DELETED, this.#texts),
      languages.registerCodeLensProvider([{ scheme: 'file' }, { scheme: DELETED }], this),
      // What is listed is compared with the disk.
      workspace.onDidSaveTextDocument(({ uri }) => {
        if (this.#fileOf(uri)) void this.refresh();
      }),
    ];
  }

  /** Lists the changes again. Calls during a list lead to one more. */
  async refresh(): Promise<void> {
    this.#isStale = true;
    this.#listing ??= this.#list().finally(() => {
      this.#listing = null;
    });
    await this.#listing;
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const file = this.#fileOf(document.uri);
    if (!file) return [];
    return this.#placed(document, file).flatMap((hunk) => {
      const range = new vscode.Range(hunk.start, 0, hunk.start, 0);
      const args = [document.uri, hunk.id];
      return [
        new vscode.CodeLens(range, {
          title: 'Accept',
          command: 'aca.acceptHunk',
          arguments: args,
          tooltip: hunk.what,
        }),
        new vscode.CodeLens(range, {
          title: 'Reject',
          command: 'aca.rejectHunk',
          arguments: args,
          tooltip: hunk.what,
        }),
      ];
    });
  }

  /** Opens the diff of a changed file, at its first change. False if it is not changed. */
  async show(file: string): Promise<boolean> {
    await this.refresh();
    const changes = this.#files.find((one) => one.path === file);
    if (!changes) return false;
    const uri = vscode.Uri.file(file);
    const original = uri.with({ scheme: ORIGINAL });
    this.#texts.set(original, (await this.#session().originalText(file)) ?? '');
    const modified = changes.change === 'deleted' ? uri.with({ scheme: DELETED }) : uri;
    const title = `${path.basename(file)} (changes by aca)`;
    const line = (changes.hunks[0]?.lines?.newStart ?? 1) - 1;
    const selection = new vscode.Range(line, 0, line, 0);
    await vscode.commands.executeCommand('vscode.diff', original, modified, title, {
      preview: true,
      selection,
    });
    return true;
  }

  /** Lets the user choose one of the changed files. */
  async pick(): Promise<void> {
    await this.refresh();
    const items = this.#files.map(({ path: file, change, added, removed }) => ({
      label: path.basename(file),
      description: vscode.workspace.asRelativePath(path.dirname(file)),
      detail: `${change === 'changed' ? '' : `${change} file, `}+${added} −${removed}`,
      file,
    }));
    if (items.length === 0) {
      void vscode.window.showInformationMessage('There are no changes to review.');
      return;
    }
    const chosen = await vscode.window.showQuickPick(items, {
      placeHolder: 'Select a file to review its changes',
    });
    if (chosen) await this.show(chosen.file);
  }

  /** Of the hunk with this id, or the one at the cursor. */
  async decide(what: 'accept' | 'reject', uri?: vscode.Uri, id?: string): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const target = uri ?? editor?.document.uri;
    const file = target && this.#fileOf(target);
    if (!file) return;
    const hunk = id ?? (editor ? this.#atCursor(editor, file)?.id : undefined);
    if (hunk === undefined) {
      void vscode.window.showInformationMessage('There is no change of aca at the cursor.');
      return;
    }
    await this.#carryOut(what, file.path, [hunk]);
  }

  /** Of a whole file. */
  async decideFile(what: 'accept' | 'reject', uri?: vscode.Uri): Promise<void> {
    const target = uri ?? vscode.window.activeTextEditor?.document.uri;
    const file = target && this.#fileOf(target);
    if (file) await this.#carryOut(what, file.path);
  }

  async decideAll(what: 'accept' | 'reject'): Promise<void> {
    await this.refresh();
    if (this.#files.length === 0) return;
    if (what === 'reject') {
      const count = this.#files.length === 1 ? '1 file' : `${this.#files.length} files`;
      const yes = 'Reject All';
      const chosen = await vscode.window.showWarningMessage(
        `Reject all changes in ${count}?`,
        { modal: true },
        yes,
      );
      if (chosen !== yes) return;
    }
    await this.#carryOut(what);
  }

  dispose(): void {
    for (const part of this.#parts) part.dispose();
  }

  async #carryOut(what: 'accept' | 'reject', file?: string, hunks?: string[]): Promise<void> {
    // The agent works with the files on the disk.
    for (const one of file === undefined ? this.#files.map((each) => each.path) : [file]) {
      const document = openDocument(one);
      if (document?.isDirty) await document.save();
    }
    const session = this.#session();
    if (what === 'accept') await session.acceptHunks(file, hunks);
    else await session.revertHunks(file, hunks);
    await this.refresh();
  }

  async #list(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      this.#files = await this.#session().fileChanges();
      // Changes that are made meanwhile lead to another round.
      await this.#update();
    }
  }

  async #update(): Promise<void> {
    const paths = this.#files.map(({ path: file }) => vscode.Uri.file(file).fsPath);
    const context = (key: string, value: unknown) => vscode.commands.executeCommand('setContext', key, value);
    await context('aca.changedPaths', paths);
    await context('aca.hasChanges', paths.length > 0);
    this.#changed.fire();
    for (const { uri } of vscode.workspace.textDocuments.filter(({ uri: { scheme } }) => scheme === ORIGINAL))
      await this.#updateOriginal(uri);
  }

  /** Of an open diff: what was accepted is no longer a difference. */
  async #updateOriginal(uri: vscode.Uri): Promise<void> {
    const file = uri.with({ scheme: 'file' });
    const text = this.#fileOf(file)
      ? await this.#session().originalText(file.fsPath)
      : await vscode.workspace.fs.readFile(file).then(
          (bytes) => new TextDecoder().decode(bytes),
          () => '',
        );
    this.#texts.set(uri, text ?? '');
  }

  #fileOf(uri: vscode.Uri): FileChanges | undefined {
    if (uri.scheme !== 'file' && uri.scheme !== DELETED) return undefined;
    return this.#files.find((one) => vscode.Uri.file(one.path).path === uri.path);
  }

  #placed(document: vscode.TextDocument, file: FileChanges): PlacedHunk[] {
    if (document.uri.scheme !== DELETED) return placeHunks(file.hunks, document.getText());
    return file.hunks.map(({ id, what, lines }) => ({
      id,
      what,
      start: 0,
      count: linesOf(lines?.newText ?? '').length,
    }));
  }

  #atCursor({ document, selection }: vscode.TextEditor, file: FileChanges): PlacedHunk | null {
    return hunkAt(this.#placed(document, file), selection.active.line);
  }
}
