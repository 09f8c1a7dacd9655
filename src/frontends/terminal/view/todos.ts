import { addItem } from './explored.ts';
import type { Todo, TodoChanges, Todos, View } from './types.ts';

/** Each state has a shape of its own. */
export const TODO_MARKS = { pending: '☐', in_progress: '◐', done: '✓' } satisfies Record<
  Todo['status'],
  string
>;

/** Keeps the whole list for the screen; only what changed becomes an item. */
export function takeTodos(view: View, items: readonly Todo[]): View {
  const changes = todoChanges(view.todos.items, items);
  const next = { ...view, todos: { ...view.todos, items } };
  const { done, added, removed } = changes;
  return done.length + added.length + removed.length === 0
    ? next
    : addItem(next, { type: 'todos', ...changes });
}

/** Another session has a list of its own. */
export function todosOf(todos: Todos, session: string): Todos {
  return todos.session === session ? todos : { session, items: [] };
}

export function todoChanges(before: readonly Todo[], after: readonly Todo[]): TodoChanges {
  const left = [...before];
  const done: string[] = [];
  const added: string[] = [];
  for (const { text, status } of after) {
    const at = left.findIndex((todo) => todo.text === text);
    const [was] = at === -1 ? [] : left.splice(at, 1);
    if (status === 'done' && was?.status !== 'done') done.push(text);
    else if (!was) added.push(text);
  }
  return { done, added, removed: left.map(({ text }) => text) };
}
