import { RequestError } from '@agentclientprotocol/sdk';
import * as vscode from 'vscode';
import type { Documents } from '../chat/client-app.ts';
import { changedRange } from './changed-range.ts';

/** Files as the editor has them: open documents with their unsaved text, everything else from the disk. */
export class OpenDocuments implements Documents {
  /** The version of each unsaved document that the agent has read. */
  readonly #read = new WeakMap<vscode.TextDocument, number>();

  async read(path: string): Promise<string> {
    const document = openDocument(path);
    if (!document) return decoded(await readBytes(path), path);
    this.#read.set(document, document.version);
    return document.getText();
  }

  async write(path: string, text: string): Promise<void> {
    const document = openDocument(path);
    if (document) return this.#edit(document, text);
    const bytes = new TextEncoder().encode(text);
    const saved = await readBytes(path).catch(() => null);
    if (!saved || Buffer.compare(saved, bytes) !== 0)
      await vscode.workspace.fs.writeFile(vscode.Uri.file(path), bytes);
  }

  /** Some editors notice late what has changed on the disk. */
  async reload(path: string): Promise<void> {
    const document = openDocument(path);
    if (!document || document.isDirty) return;
    const bytes = await readBytes(path).catch(() => null);
    if (bytes) await this.#edit(document, decoded(bytes, path));
  }

  /** As an edit, which the user can undo. */
  async #edit(document: vscode.TextDocument, text: string): Promise<void> {
    const { uri, fileName } = document;
    if (document.isDirty && this.#read.get(document) !== document.version)
      throw failed(`${fileName} was edited since it was read. Read it again, then repeat the change.`);
    const end = document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
    const range = changedRange(document.getText(), text.replace(/\r?\n/g, end));
    if (range) {
      const edit = new vscode.WorkspaceEdit();
      const { start, end: last, text: replacement } = range;
      edit.replace(uri, new vscode.Range(document.positionAt(start), document.positionAt(last)), replacement);
      if (!(await vscode.workspace.applyEdit(edit))) throw failed(`The editor did not change ${fileName}.`);
    }
    if (document.isDirty && !(await document.save())) throw failed(`The editor could not save ${fileName}.`);
    this.#read.set(document, document.version);
  }
}

/** The document of a file, if it is open. */
export function openDocument(path: string): vscode.TextDocument | undefined {
  const { fsPath } = vscode.Uri.file(path);
  return vscode.workspace.textDocuments.find(
    ({ uri, isClosed }) => uri.scheme === 'file' && !isClosed && uri.fsPath === fsPath,
  );
}

async function readBytes(path: string): Promise<Uint8Array> {
  return vscode.workspace.fs.readFile(vscode.Uri.file(path));
}

/** The agent has its own way with files that are no text. */
function decoded(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw failed(`${path} is not a text in UTF-8.`);
  }
}

function failed(message: string): RequestError {
  return new RequestError(RequestError.internalError().code, message);
}
