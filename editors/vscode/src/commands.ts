import * as vscode from 'vscode';
import { programLine } from './agent/launch.ts';
import { type Conversation, messageOf } from './chat/chat.ts';
import type { ChatView } from './chat/chat-view.ts';
import { ChatUnavailable } from './chat/problem.ts';
import { excerptBlock, explainPrompt, fixPrompt, linkBlock } from './context/blocks.ts';
import { excerptAround, problemAt, problemsIn, selectedExcerpt } from './context/editor-context.ts';
import type { Review } from './review/review.ts';
import { attachToServer } from './server/attach.ts';
import type { Conversations } from './server/conversations.ts';

type Parts = {
  conversations: Conversations;
  view: ChatView;
  review: Review;
  log: vscode.LogOutputChannel;
};

/** Every command of the manifest, and those that buttons run. */
export function registerCommands(parts: Parts): vscode.Disposable {
  const all = { ...chatCommands(parts), ...contextCommands(parts), ...reviewCommands(parts) };
  const registered = Object.entries(all).map(([name, run]) =>
    vscode.commands.registerCommand(`aca.${name}`, reported(run)),
  );
  return vscode.Disposable.from(...registered);
}

// biome-ignore lint/suspicious/noExplicitAny: the editor passes what the place of a command has.
type Command = (...args: any[]) => Promise<unknown>;

/** What the view cannot show is a message. */
function reported(run: Command): Command {
  return async (...args) => {
    try {
      await run(...args);
    } catch (error) {
      // The view shows why.
      if (error instanceof ChatUnavailable) await vscode.commands.executeCommand('aca.chat.focus');
      else void vscode.window.showErrorMessage(messageOf(error));
    }
  };
}

function chatCommands({ conversations, view, log }: Parts): Record<string, Command> {
  const chat = () => conversations.current;
  return {
    newSession: async () => {
      await chat().newSession();
      await view.focus();
    },
    resumeSession: async () => {
      const id = await pickSession(chat());
      if (id === undefined) return;
      await chat().openSession(id);
      await view.focus();
    },
    stop: () => chat().cancel(),
    restart: () => chat().restart(),
    attach: async () => {
      if (await attachToServer(conversations)) await view.focus();
    },
    detach: () => conversations.detach(),
    openLog: async () => log.show(),
    setPath: async () => vscode.commands.executeCommand('workbench.action.openSettings', 'aca.path'),
    setUpModel: async () => setUpModel(chat()),
  };
}

function contextCommands({ conversations, view }: Parts): Record<string, Command> {
  const chat = () => conversations.current;
  return {
    ask: async () => {
      const editor = vscode.window.activeTextEditor;
      if (editor) chat().compose([excerptBlock(selectedExcerpt(editor))]);
      await view.focus();
    },
    explain: async () => {
      const editor = vscode.window.activeTextEditor;
      if (!editor) return;
      await view.focus();
      await chat().prompt(explainPrompt(selectedExcerpt(editor)));
    },
    fix: async (uri?: vscode.Uri, diagnostics?: vscode.Diagnostic[]) => {
      const editor = vscode.window.activeTextEditor;
      const document = uri ? await vscode.workspace.openTextDocument(uri) : editor?.document;
      const found = diagnostics ?? (editor ? problemsIn(editor) : []);
      if (!document || found.length === 0) {
        void vscode.window.showInformationMessage('There is no problem at the cursor.');
        return;
      }
      const excerpt = excerptAround(
        document,
        found.map(({ range }) => range),
      );
      await view.focus();
      await chat().prompt(
        fixPrompt(
          found.map((one) => problemAt(document, one)),
          excerpt,
        ),
      );
    },
    addToChat: async (uri?: vscode.Uri, chosen?: vscode.Uri[]) => {
      const editor = vscode.window.activeTextEditor;
      const files = chosen ?? (uri ? [uri] : []);
      const isSelection =
        editor && !editor.selection.isEmpty && (!uri || uri.toString() === editor.document.uri.toString());
      if (isSelection && files.length < 2) chat().compose([excerptBlock(selectedExcerpt(editor))]);
      else if (files.length > 0) chat().compose(files.map(({ fsPath }) => linkBlock(fsPath)));
      else if (editor) chat().compose([linkBlock(editor.document.uri.fsPath)]);
      await view.focus();
    },
  };
}

function reviewCommands({ review }: Parts): Record<string, Command> {
  return {
    reviewChanges: () => review.pick(),
    openDiff: async (uri?: vscode.Uri) => {
      const target = uri ?? vscode.window.activeTextEditor?.document.uri;
      if (target) await review.show(target.fsPath);
    },
    acceptHunk: (uri, id) => review.decide('accept', uri, id),
    rejectHunk: (uri, id) => review.decide('reject', uri, id),
    acceptFile: (uri) => review.decideFile('accept', uri),
    rejectFile: (uri) => review.decideFile('reject', uri),
    acceptAll: () => review.decideAll('accept'),
    rejectAll: () => review.decideAll('reject'),
  };
}

async function pickSession(chat: Conversation): Promise<string | undefined> {
  const listed = chat.listSessions().then((sessions) =>
    sessions.map(({ id, title, updatedAt }) => ({
      label: title ?? 'Untitled session',
      description: updatedAt === undefined ? '' : new Date(updatedAt).toLocaleString(),
      id,
    })),
  );
  const chosen = await vscode.window.showQuickPick(listed, {
    placeHolder: 'Select a session to resume',
    matchOnDescription: true,
  });
  return chosen?.id;
}

/** In a terminal, where keys can be typed unseen. The chat opens again when it is closed. */
async function setUpModel(chat: Conversation): Promise<void> {
  const { file, args } = programLine();
  const terminal = vscode.window.createTerminal({
    name: 'aca',
    shellPath: file,
    shellArgs: [...args, '--setup'],
  });
  terminal.show();
  const closed = vscode.window.onDidCloseTerminal((one) => {
    if (one !== terminal) return;
    closed.dispose();
    void chat.restart().catch(() => undefined);
  });
}
