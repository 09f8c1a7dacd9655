import * as z from 'zod';
import { defineTool, ok } from '../contract/tool.ts';
import { adaptTodo } from './dialects/adapt-planning.ts';

const MAX_ITEMS = 100;

export const todo = defineTool({
  name: 'Todo',
  aliases: [
    'todo_write',
    'write_todos',
    'update_todos',
    'update_plan',
    'update_todo_list',
    'task_list',
    'manage_todo_list',
  ],
  argumentAliases: { items: ['todos', 'plan', 'tasks', 'steps', 'todo_list', 'list'] },
  adapt: adaptTodo,
  description:
    'Show the user your task list, and replace it as you go: use it for work of three or more steps. ' +
    'Send the whole list each time; have one item in progress and mark an item done as soon as it is.',
  input: () =>
    z.object({
      items: z
        .array(
          z.object({
            text: z.string().min(1).describe('What to do, in a few words'),
            status: z.enum(['pending', 'in_progress', 'done']),
          }),
        )
        .max(MAX_ITEMS)
        .describe('The whole list, in order'),
    }),

  title: ({ items }) => {
    const current = items.find(({ status }) => status === 'in_progress')?.text;
    return `Todo ${items.filter(({ status }) => status === 'done').length}/${items.length}${current ? `: ${current}` : ''}`;
  },
  access: () => [],

  async run({ items }, { todos }) {
    todos.replace(items);
    if (items.length === 0) return ok('The list is now empty.', { display: { kind: 'todos', items } });
    const count = (wanted: string) => items.filter(({ status }) => status === wanted).length;
    const going = count('in_progress');
    const advice = going > 1 ? ' Keep one item in progress at a time.' : '';
    return ok(`${count('done')} done, ${going} in progress, ${count('pending')} pending.${advice}`, {
      display: { kind: 'todos', items },
    });
  },
});
