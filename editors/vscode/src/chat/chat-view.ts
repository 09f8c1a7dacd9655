import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { ChatConnection, ChatEvent } from '../../../../web/chat/connection.ts';
import type { ToHost, ToWebview } from '../messages.ts';
import { messageOf } from './chat.ts';
import type { Problem } from './problem.ts';
import { chatHtml, PROBLEM_COMMANDS, problemHtml } from './view-html.ts';

type ViewDeps = {
  extension: vscode.Uri;
  /** What the chat may call. */
  connection: Omit<ChatConnection, 'onEvent'>;
  /** All events so far. */
  history(): ChatEvent[];
  /** The view is shown for the first time. */
  onOpen(): void;
};

/** The view in the side bar: the chat, or the reason why there is none. */
export class ChatView implements vscode.WebviewViewProvider {
  static readonly id = 'aca.chat';
  readonly #deps: ViewDeps;
  #view: vscode.WebviewView | null = null;
  #isReady = false;
  #problem: Problem | null = null;
  /** For a chat that is not ready yet. */
  #waiting: ToWebview[] = [];

  constructor(deps: ViewDeps) {
    this.#deps = deps;
  }

  /** Whether it was ever shown. */
  get isOpen(): boolean {
    return this.#view !== null;
  }

  get isVisible(): boolean {
    return this.#view?.visible ?? false;
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#view = view;
    view.webview.options = {
      enableScripts: true,
      enableCommandUris: PROBLEM_COMMANDS,
      localResourceRoots: [vscode.Uri.joinPath(this.#deps.extension, 'dist')],
    };
    view.webview.onDidReceiveMessage((message: ToHost) => this.#received(message));
    view.onDidDispose(() => {
      this.#view = null;
      this.#isReady = false;
    });
    this.#render();
    this.#deps.onOpen();
  }

  /** Shows the chat, or why there is none. */
  setProblem(problem: Problem | null): void {
    if (JSON.stringify(problem) === JSON.stringify(this.#problem)) return;
    this.#problem = problem;
    this.#render();
  }

  tell(event: ChatEvent): void {
    if (this.#isReady) this.#post({ type: 'events', events: [event] });
    // A chat that opens later gets the history, in which this is not.
    else if (event.type === 'compose') this.#waiting.push({ type: 'events', events: [event] });
  }

  /** Opens the view and moves the focus to the prompt. */
  async focus(): Promise<void> {
    await vscode.commands.executeCommand(`${ChatView.id}.focus`);
    if (this.#isReady) this.#post({ type: 'focus' });
    else this.#waiting.push({ type: 'focus' });
  }

  setBadge(questions: number): void {
    if (!this.#view) return;
    const tooltip = 'aca is waiting for your answer';
    this.#view.badge = questions === 0 ? undefined : { value: questions, tooltip };
  }

  #render(): void {
    if (!this.#view) return;
    this.#isReady = false;
    const { webview } = this.#view;
    const page = { source: webview.cspSource, nonce: randomBytes(16).toString('hex') };
    const asset = (name: string) =>
      webview.asWebviewUri(vscode.Uri.joinPath(this.#deps.extension, 'dist', name)).toString();
    webview.html = this.#problem
      ? problemHtml(this.#problem, page)
      : chatHtml({ ...page, script: asset('webview.js'), style: asset('webview.css') });
  }

  async #received(message: ToHost): Promise<void> {
    if (message.type === 'ready') {
      this.#isReady = true;
      this.#post({ type: 'events', events: this.#deps.history() });
      for (const waiting of this.#waiting.splice(0)) this.#post(waiting);
      return;
    }
    const { id, method, args } = message;
    try {
      const call = this.#deps.connection[method] as ((...args: unknown[]) => unknown) | undefined;
      if (!Object.hasOwn(this.#deps.connection, method) || !call)
        throw new Error(`There is no method ${method}.`);
      this.#post({ type: 'result', id, value: await call(...args) });
    } catch (error) {
      this.#post({ type: 'result', id, error: messageOf(error) });
    }
  }

  #post(message: ToWebview): void {
    void this.#view?.webview.postMessage(message);
  }
}
