import * as vscode from 'vscode';
import type { PermissionAsked, QuestionAsked } from '../../../../web/chat/connection.ts';
import { notificationText } from './notification-text.ts';

type Answer = (requestId: string, answer: string | null) => Promise<void>;

const SHOW = 'Show in Chat';

/** A permission question for a user who does not see the chat. */
export async function notifyPermission(
  { requestId, toolCall, options }: PermissionAsked,
  answer: Answer,
  show: () => Promise<void>,
): Promise<void> {
  const offered = options.filter(({ kind }) => kind === 'allow_once' || kind === 'reject_once');
  const names = offered.map(({ name }) => name);
  const text = notificationText(`aca asks: ${toolCall.title ?? 'May I go on?'}`);
  const chosen = await vscode.window.showInformationMessage(text, ...names, SHOW);
  if (chosen === SHOW) return show();
  const option = offered.find(({ name }) => name === chosen);
  // It may have been answered in the chat meanwhile.
  if (option) await answer(requestId, option.optionId).catch(() => undefined);
}

/** A question in words, which is answered in the chat. */
export async function notifyQuestion({ question }: QuestionAsked, show: () => Promise<void>): Promise<void> {
  const chosen = await vscode.window.showInformationMessage(notificationText(`aca asks: ${question}`), SHOW);
  if (chosen === SHOW) await show();
}
