import path from 'node:path';
import * as vscode from 'vscode';
import type { ChatConnection, ChatEvent } from '../../../web/chat/connection.ts';
import { launch, place } from './agent/launch.ts';
import { Chat } from './chat/chat.ts';
import { ChatView } from './chat/chat-view.ts';
import { notifyPermission, notifyQuestion } from './chat/notify.ts';
import { registerCommands } from './commands.ts';
import { fixAction } from './context/fix-action.ts';
import { OpenDocuments } from './documents/documents.ts';
import { Proposals } from './review/proposals.ts';
import { Review } from './review/review.ts';
import { StatusBar } from './status-bar.ts';

const LAST_SESSION = 'lastSession';

let running: Chat | null = null;

export function activate({ extensionUri, subscriptions, workspaceState }: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('aca', { log: true });
  const documents = new OpenDocuments();
  const status = new StatusBar();
  const proposals = new Proposals(documents);
  const chat = new Chat({
    start: (app) => launch(app, log),
    place,
    documents,
    confirmStop,
    lastSession: {
      get: () => workspaceState.get(LAST_SESSION),
      set: (id) => void workspaceState.update(LAST_SESSION, id),
    },
    onEvent: told,
    onProblem: (problem) => {
      status.setProblem(problem);
      view.setProblem(problem);
    },
  });
  running = chat;
  const review = new Review(chat);
  const connection = connectionOf(chat, { review, proposals });
  const history = () => chat.history;
  // Why it does not open is shown in the view.
  const open = () => void chat.open().catch((error) => log.warn(String(error)));
  const view = new ChatView({ extension: extensionUri, connection, history, onOpen: open });
  const show = () => view.focus();

  function told(event: ChatEvent): void {
    status.tell(event);
    view.tell(event);
    view.setBadge(status.questions);
    if (event.type === 'changes_changed') void review.refresh().catch((error) => log.warn(String(error)));
    else if (event.type === 'permission_asked') {
      proposals.asked(event.request);
      if (!view.isVisible)
        void notifyPermission(event.request, (id, answer) => chat.answer(id, answer), show);
    } else if (event.type === 'permission_settled') void proposals.settled(event.requestId);
    else if (event.type === 'question_asked' && !view.isVisible) void notifyQuestion(event.request, show);
  }

  subscriptions.push(
    log,
    status,
    review,
    proposals,
    vscode.window.registerWebviewViewProvider(ChatView.id, view, {
      webviewOptions: { retainContextWhenHidden: true },
    }),
    vscode.languages.registerCodeActionsProvider({ scheme: 'file' }, fixAction, {
      providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
    }),
    registerCommands({ chat, view, review, log }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => view.isOpen && open()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (!change.affectsConfiguration('aca') || chat.isWorking || !view.isOpen) return;
      void chat.restart().catch(() => undefined);
    }),
  );
}

/** The editor waits for it: no process is left behind. */
export async function deactivate(): Promise<void> {
  await running?.stop();
}

async function confirmStop(): Promise<boolean> {
  const stop = 'Stop';
  const question = 'aca is still working. Stop it and change the session?';
  return (await vscode.window.showWarningMessage(question, { modal: true }, stop)) === stop;
}

/** What the webview may call. */
function connectionOf(
  chat: Chat,
  { review, proposals }: { review: Review; proposals: Proposals },
): Omit<ChatConnection, 'onEvent'> {
  return {
    prompt: (blocks) => chat.prompt(blocks),
    cancel: () => chat.cancel(),
    setMode: (id) => chat.setMode(id),
    setOption: (id, value) => chat.setOption(id, value),
    answerPermission: (id, option) => chat.answer(id, option),
    answerQuestion: (id, answer) => chat.answer(id, answer),
    completeFile: (query) => chat.completeFile(query),
    listSessions: () => chat.listSessions(),
    openSession: (id) => chat.openSession(id),
    newSession: () => chat.newSession(),
    changes: () => chat.changes(),
    acceptHunks: (file, ids) => chat.acceptHunks(file, ids),
    revertHunks: (file, ids) => chat.revertHunks(file, ids),
    openDiff: async (file) => {
      if (!(await proposals.show(file)) && !(await review.show(file))) await openFile(file);
    },
    openFile,
    openLink: async (url) => {
      const address = vscode.Uri.parse(url, true);
      if (address.scheme === 'http' || address.scheme === 'https') await vscode.env.openExternal(address);
    },
  };
}

async function openFile(file: string, line?: number): Promise<void> {
  const uri = vscode.Uri.file(path.isAbsolute(file) ? file : path.join(place().cwd, file));
  const { type } = await vscode.workspace.fs.stat(uri);
  if (type & vscode.FileType.Directory) {
    await vscode.commands.executeCommand('revealInExplorer', uri);
    return;
  }
  const at = line === undefined ? {} : { selection: new vscode.Range(line - 1, 0, line - 1, 0) };
  await vscode.window.showTextDocument(uri, { preview: true, ...at });
}
