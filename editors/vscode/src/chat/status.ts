import type { ChatEvent } from '../../../../web/chat/connection.ts';
import type { Problem } from './problem.ts';

/** What the status bar says. */
export type Status = {
  isConnecting: boolean;
  isWorking: boolean;
  /** Questions that wait for the user, by id. */
  questions: readonly string[];
  title: string | null;
  cost: { amount: number; currency: string } | null;
  problem: Problem | null;
};

export const noStatus: Status = {
  isConnecting: false,
  isWorking: false,
  questions: [],
  title: null,
  cost: null,
  problem: null,
};

export function nextStatus(status: Status, event: ChatEvent): Status {
  switch (event.type) {
    case 'connection':
      return { ...status, isConnecting: event.state === 'connecting' };
    case 'session':
      return { ...noStatus, isConnecting: status.isConnecting, title: event.session.title ?? null };
    case 'turn_started':
      return { ...status, isWorking: true };
    case 'turn_ended':
    case 'turn_failed':
      return { ...status, isWorking: false, questions: [] };
    case 'permission_asked':
    case 'question_asked':
      return { ...status, questions: [...status.questions, event.request.requestId] };
    case 'permission_settled':
    case 'question_settled':
      return { ...status, questions: status.questions.filter((id) => id !== event.requestId) };
    case 'update':
      if (event.update.sessionUpdate === 'session_info_update' && event.update.title !== undefined)
        return { ...status, title: event.update.title };
      if (event.update.sessionUpdate === 'usage_update')
        return { ...status, cost: event.update.cost ?? status.cost };
      return status;
    default:
      return status;
  }
}

export type StatusText = { text: string; tooltip: string; isUrgent: boolean };

export function statusText({ isConnecting, isWorking, questions, title, cost, problem }: Status): StatusText {
  const state = problem
    ? { icon: 'warning', words: problem.type === 'not-found' ? 'not found' : 'not available' }
    : questions.length > 0
      ? { icon: 'bell-dot', words: 'waiting for you' }
      : isConnecting
        ? { icon: 'loading~spin', words: 'starting' }
        : isWorking
          ? { icon: 'loading~spin', words: 'working' }
          : { icon: 'comment-discussion', words: 'idle' };
  const isIdle = state.words === 'idle';
  return {
    text: `$(${state.icon}) aca${isIdle ? '' : `: ${state.words}`}`,
    tooltip: [
      `aca: ${state.words}`,
      ...(title ? [title] : []),
      ...(cost ? [`Cost of this session: ${money(cost)}`] : []),
    ].join('\n'),
    isUrgent: questions.length > 0 || problem?.type === 'not-found',
  };
}

function money({ amount, currency }: { amount: number; currency: string }): string {
  const number = amount.toFixed(amount < 0.995 ? 3 : 2);
  return currency === 'USD' ? `$${number}` : `${number} ${currency}`;
}
