import type { Diagnostic } from 'vscode-languageserver-protocol';
import { type LanguageClient, toUri } from './client.ts';
import { isThere, textOnDisk } from './disk.ts';
import type { Documents } from './documents.ts';
import { endingOf, type Language } from './languages.ts';

const CREATED = 1;
const CHANGED = 2;
const DELETED = 3;

export type TextsOptions = {
  client: LanguageClient;
  documents: Documents<Diagnostic>;
  language: Language;
  /** Paths that changed on disk since the server was last told; true if they did not exist before. */
  changed: Map<string, boolean>;
};

/** Keeps the texts of one running server as they are on disk, or as they were before a change. */
export class Texts {
  readonly #options: TextsOptions;

  constructor(options: TextsOptions) {
    this.#options = options;
  }

  /** Everything that changed on disk: texts that the server has, and those that it only knows of. */
  followDisk(): void {
    const { client, documents, changed } = this.#options;
    const events = [...changed].map(([file, isNew]) => ({
      uri: toUri(file),
      type: isThere(file) ? (isNew ? CREATED : CHANGED) : DELETED,
    }));
    changed.clear();
    if (events.length > 0) {
      documents.worldChanged();
      client.notify('workspace/didChangeWatchedFiles', { changes: events });
    }
    for (const file of documents.paths()) this.showAsOnDisk(file);
  }

  /** With `afresh`, an unchanged text is sent again if anything else changed since. */
  showAsOnDisk(file: string, { afresh }: { afresh: boolean } = { afresh: false }): void {
    const text = textOnDisk(file);
    if (text === null) this.close(file);
    else this.show(file, text, { afresh });
  }

  show(file: string, text: string, { afresh }: { afresh: boolean } = { afresh: false }): void {
    const { client, documents, language } = this.#options;
    const { type, version } = documents.set(file, text, { afresh });
    const uri = toUri(file);
    if (type === 'none') return;
    if (type === 'change') {
      client.notify('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [{ text }] });
      client.notify('textDocument/didSave', { textDocument: { uri } });
      return;
    }
    if (type === 'reopen') client.notify('textDocument/didClose', { textDocument: { uri } });
    const languageId = language.extensions[endingOf(file)] ?? 'plaintext';
    client.notify('textDocument/didOpen', { textDocument: { uri, languageId, version, text } });
  }

  /** The same text as a new version. */
  reopen(file: string): void {
    const text = this.#options.documents.text(file);
    this.close(file);
    if (text !== undefined) this.show(file, text);
  }

  close(file: string): void {
    const { client, documents } = this.#options;
    if (documents.close(file)) client.notify('textDocument/didClose', { textDocument: { uri: toUri(file) } });
  }
}
