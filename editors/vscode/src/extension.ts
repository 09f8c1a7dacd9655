import path from 'node:path';
import * as vscode from 'vscode';
import type { ChatConnection, ChatEvent } from '../../../web/chat/connection.ts';
import { launch, place } from './agent/launch.ts';
import { Chat, type Conversation } from './chat/chat.ts';
import { ChatView } from './chat/chat-view.ts';
import { notifyPermission, notifyQuestion } from './chat/notify.ts';
import type { Problem } from './chat/problem.ts';
import { registerCommands } from './commands.ts';
import { fixAction } from './context/fix-action.ts';
import { OpenDocuments } from './documents/documents.ts';
import { Proposals } from './review/proposals.ts';
import { Review } from './review/review.ts';
import { Conversations } from './server/conversations.ts';
import { StatusBar } from './status-bar.ts';

const LAST_SESSION = 'lastSession';

let running: Conversations | null = null;

export function activate(context: vscode.ExtensionContext): void {
  const { extensionUri, subscriptions, workspaceState } = context;
  const log = vscode.window.createOutputChannel('aca', { log: true });
  const documents = new OpenDocuments();
  const status = new StatusBar();
  const proposals = new Proposals(documents);
  const host = {
    place,
    documents,
    onEvent: told,
    onProblem: (problem: Problem | null) => {
      status.setProblem(problem);
      view.setProblem(problem);
    },
  };
  const local = new Chat({
    ...host,
    start: (app) => launch(app, log),
    confirmStop,
    lastSession: {
      get: () => workspaceState.get(LAST_SESSION),
      set: (id) => void workspaceState.update(LAST_SESSION, id),
    },
  });
  const conversations = new Conversations({
    ...host,
    local,
    context,
    onChanged: () => {
      void vscode.commands.executeCommand('setContext', 'aca.isAttached', conversations.isAttached);
      told({ type: 'session_closed' });
      for (const event of chat().history) {
        status.tell(event);
        view.tell(event);
      }
    },
  });
  running = conversations;
  const chat = () => conversations.current;
  const review = new Review(() => chat().files);
  const connection = connectionOf(chat, { review, proposals });
  const history = () => chat().history;
  const restore = () => conversations.restore().catch((error) => log.warn(String(error)));
  // Why it does not open is shown in the view.
  const open = () =>
    void restore()
      .then(() => chat().open())
      .catch((error) => log.warn(String(error)));
  const view = new ChatView({ extension: extensionUri, connection, history, onOpen: open });
  const show = () => view.focus();

  /** Viewers see what is asked, and cannot answer. */
  let mayAnswer = true;
  function told(event: ChatEvent): void {
    if (event.type === 'session') mayAnswer = event.session.role !== 'viewer';
    status.tell(event);
    view.tell(event);
    view.setBadge(status.questions);
    if (event.type === 'changes_changed') void review.refresh().catch((error) => log.warn(String(error)));
    else if (event.type === 'permission_asked') {
      proposals.asked(event.request);
      if (!view.isVisible && mayAnswer)
        void notifyPermission(event.request, (id, answer) => chat().answer(id, answer), show);
    } else if (event.type === 'permission_settled') void proposals.settled(event.requestId);
    else if (event.type === 'question_asked' && !view.isVisible) void notifyQuestion(event.request, show);
  }

  void restore();
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
    registerCommands({ conversations, view, review, log }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => view.isOpen && open()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (!change.affectsConfiguration('aca') || conversations.isAttached) return;
      if (!local.isWorking && view.isOpen) void local.restart().catch(() => undefined);
    }),
  );
}

/** The editor waits for it: no process is left behind. */
export async function deactivate(): Promise<void> {
  await running?.current.stop();
}

async function confirmStop(): Promise<boolean> {
  const stop = 'Stop';
  const question = 'aca is still working. Stop it and change the session?';
  return (await vscode.window.showWarningMessage(question, { modal: true }, stop)) === stop;
}

/** What the webview may call. */
function connectionOf(
  chat: () => Conversation,
  { review, proposals }: { review: Review; proposals: Proposals },
): Omit<ChatConnection, 'onEvent'> {
  return {
    prompt: (blocks) => chat().prompt(blocks),
    cancel: () => chat().cancel(),
    setMode: (id) => chat().setMode(id),
    setOption: (id, value) => chat().setOption(id, value),
    answerPermission: (id, option) => chat().answer(id, option),
    answerQuestion: (id, answer) => chat().answer(id, answer),
    typing: (isTyping) => chat().typing(isTyping),
    completeFile: (query) => chat().files.complete(query),
    listSessions: () => chat().listSessions(),
    openSession: (id) => chat().openSession(id),
    newSession: () => chat().newSession(),
    changes: () => chat().files.changes(),
    acceptHunks: (file, ids) => chat().files.acceptHunks(file, ids),
    revertHunks: (file, ids) => chat().files.revertHunks(file, ids),
    openDiff: async (file) => {
      if (!(await proposals.show(file)) && !(await review.show(file))) await openFile(file, chat().cwd);
    },
    openFile: (file, line) => openFile(file, chat().cwd, line),
    openLink: async (url) => {
      const address = vscode.Uri.parse(url, true);
      if (address.scheme === 'http' || address.scheme === 'https') await vscode.env.openExternal(address);
    },
  };
}

async function openFile(file: string, cwd: string, line?: number): Promise<void> {
  const uri = vscode.Uri.file(path.isAbsolute(file) ? file : path.join(cwd, file));
  const { type } = await vscode.workspace.fs.stat(uri);
  if (type & vscode.FileType.Directory) {
    await vscode.commands.executeCommand('revealInExplorer', uri);
    return;
  }
  const at = line === undefined ? {} : { selection: new vscode.Range(line - 1, 0, line - 1, 0) };
  await vscode.window.showTextDocument(uri, { preview: true, ...at });
}
