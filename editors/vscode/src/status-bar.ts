import * as vscode from 'vscode';
import type { ChatEvent } from '../../../web/chat/connection.ts';
import type { Problem } from './chat/problem.ts';
import { nextStatus, noStatus, type Status, statusText } from './chat/status.ts';

/** What aca is doing, also while the chat is hidden. */
export class StatusBar implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem('aca', vscode.StatusBarAlignment.Right, 100);
  #status: Status = noStatus;

  constructor() {
    this.#item.name = 'aca';
    this.#item.command = 'aca.chat.focus';
    this.#item.show();
    this.#update(noStatus);
  }

  get questions(): number {
    return this.#status.questions.length;
  }

  tell(event: ChatEvent): void {
    this.#update(nextStatus(this.#status, event));
  }

  setProblem(problem: Problem | null): void {
    this.#update({ ...this.#status, problem });
  }

  dispose(): void {
    this.#item.dispose();
  }

  #update(status: Status): void {
    if (status.isWorking !== this.#status.isWorking)
      void vscode.commands.executeCommand('setContext', 'aca.isWorking', status.isWorking);
    this.#status = status;
    const { text, tooltip, isUrgent } = statusText(status);
    if (text === this.#item.text && tooltip === this.#item.tooltip) return;
    this.#item.text = text;
    this.#item.tooltip = tooltip;
    this.#item.accessibilityInformation = { label: tooltip.replaceAll('\n', ', ') };
    this.#item.backgroundColor = isUrgent
      ? new vscode.ThemeColor('statusBarItem.warningBackground')
      : undefined;
  }
}
