import { lastDone } from '../../agent/history.ts';
import { shownText } from '../../commands/prompts.ts';
import type { Message } from '../../contract/message.ts';
import type { Todo, ToolContext } from '../../contract/tool.ts';
import type { RunInfo } from '../../session/undo/undo-log.ts';
import { todo } from '../../tools/todo.ts';

/** The run that the last prompt starts. */
export function runInfo(messages: readonly Message[]): RunInfo {
  const message = messages.findLastIndex(({ role }) => role === 'user');
  const prompt = messages[message];
  const text = prompt?.role === 'user' ? shownText(prompt) : '';
  return { at: new Date().toISOString(), prompt: text, message };
}

/** The last task list in the conversation. */
export function lastTodos(history: readonly Message[]): readonly Todo[] {
  const call = lastDone(history, todo.name)?.call;
  if (!call) return [];
  const parsed = todo.input.safeParse(call.input);
  return parsed.success ? (parsed.data as { items: Todo[] }).items : [];
}

/** A task list that tools can replace. */
export function todoList(initial: readonly Todo[]): ToolContext['todos'] {
  let items = initial;
  return {
    list: () => items,
    replace: (next) => {
      items = next;
    },
  };
}
