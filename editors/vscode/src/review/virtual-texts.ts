import * as vscode from 'vscode';

/** Texts that exist only for a diff, by address. */
export class VirtualTexts implements vscode.TextDocumentContentProvider {
  readonly #texts = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? '';
  }

  set(uri: vscode.Uri, text: string): void {
    if (this.#texts.get(uri.toString()) === text) return;
    this.#texts.set(uri.toString(), text);
    this.#changed.fire(uri);
  }

  delete(uri: vscode.Uri): void {
    this.#texts.delete(uri.toString());
  }
}
