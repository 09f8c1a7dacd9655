import path from 'node:path';
import * as vscode from 'vscode';
import type { PermissionAsked } from '../../../../web/chat/connection.ts';
import type { Documents } from '../chat/client-app.ts';
import { diffsByFile, proposal } from './proposed-text.ts';
import { VirtualTexts } from './virtual-texts.ts';

const SCHEME = 'aca-proposed';

/** Changes that the user is asked about, in the editor's own diff. */
export class Proposals implements vscode.Disposable {
  readonly #texts = new VirtualTexts();
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this.#texts);
  readonly #asked = new Map<string, PermissionAsked>();
  readonly #documents: Documents;

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  asked(request: PermissionAsked): void {
    this.#asked.set(request.requestId, request);
  }

  /** Closes the diffs of a question that has been answered. */
  async settled(requestId: string): Promise<void> {
    this.#asked.delete(requestId);
    const tabs = vscode.window.tabGroups.all.flatMap((group) =>
      group.tabs.filter((tab) => isOf(tab, requestId)),
    );
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs);
  }

  /** Opens the diff of a file that a question is about. False if there is none. */
  async show(file: string): Promise<boolean> {
    for (const { requestId, toolCall } of this.#asked.values()) {
      const diffs = diffsByFile(toolCall.content ?? []).get(file);
      if (!diffs) continue;
      const current = await this.#documents.read(file).catch(() => null);
      const { before, after } = proposal(file, diffs, current);
      const address = (side: string) =>
        vscode.Uri.from({ scheme: SCHEME, path: vscode.Uri.file(file).path, query: `${side}-${requestId}` });
      const [left, right] = [address('before'), address('after')];
      this.#texts.set(left, before);
      this.#texts.set(right, after);
      const title = `${path.basename(file)} (proposed change)`;
      await vscode.commands.executeCommand('vscode.diff', left, right, title, {
        preview: true,
        preserveFocus: true,
      });
      return true;
    }
    return false;
  }

  dispose(): void {
    this.#registration.dispose();
  }
}

function isOf({ input }: vscode.Tab, requestId: string): boolean {
  return (
    input instanceof vscode.TabInputTextDiff &&
    input.modified.scheme === SCHEME &&
    input.modified.query === `after-${requestId}`
  );
}
