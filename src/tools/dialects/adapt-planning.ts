import type { AdaptedCall, Arguments } from '../../contract/tool.ts';
import { isObject } from '../../lib/text/json.ts';
import { fieldOf, flagIn, listIn, take } from './values.ts';

const STATES: Readonly<Record<string, string>> = {
  completed: 'done',
  complete: 'done',
  finished: 'done',
  active: 'in_progress',
  running: 'in_progress',
  doing: 'in_progress',
  todo: 'pending',
  open: 'pending',
  blocked: 'pending',
  not_started: 'pending',
};

/** Lists of steps with other fields and states. */
export function adaptTodo(input: Arguments): AdaptedCall {
  const { taken, rest } = take(input, ['items', 'merge']);
  if (flagIn(taken.merge))
    return { refuse: 'Todo replaces the whole list. Send all items, not only the changed ones.' };
  const items = listIn(taken.items) ?? checklistIn(taken.items);
  if (!items) return { input: { ...rest, items: taken.items } };
  return { input: { ...rest, items: items.map(itemIn).filter((item) => item !== null) } };
}

const MARKS: Readonly<Record<string, string>> = { x: 'done', X: 'done', '-': 'in_progress', ' ': 'pending' };

/** Lines such as `[x] Read the code`, in any list of Markdown. */
function checklistIn(value: unknown): unknown[] | undefined {
  if (typeof value !== 'string') return undefined;
  const items = value
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => /^\s*(?:[-*+]\s+|\d+[.)]\s+)?\[([ xX-])\]\s+(.+)$/.exec(line));
  if (items.length === 0 || items.includes(null)) return undefined;
  return items.map((item) => ({ text: item?.[2]?.trim(), status: MARKS[item?.[1] ?? ' '] }));
}

function itemIn(item: unknown): unknown {
  if (!isObject(item)) return typeof item === 'string' ? { text: item, status: 'pending' } : item;
  const state = String(item.status ?? item.state ?? 'pending')
    .toLowerCase()
    .replaceAll(/[-\s]/g, '_');
  if (state === 'cancelled' || state === 'canceled') return null;
  return {
    text: fieldOf(item, ['text', 'content', 'step', 'task', 'title', 'subject', 'name', 'description']),
    status: flagIn(item.done ?? item.completed) ? 'done' : (STATES[state] ?? state),
  };
}

/** Several questions, and choices with descriptions. */
export function adaptAskUser(input: Arguments): AdaptedCall {
  const { taken, rest } = take(input, ['questions', 'question', 'choices']);
  const several = listIn(taken.questions) ?? [];
  if (several.length > 1)
    return { refuse: 'AskUser asks one question at a time. Ask the most important one.' };
  const [only] = several;
  const question = taken.question ?? fieldOf(only, ['question', 'text', 'prompt']);
  const choices = listIn(taken.choices ?? fieldOf(only, ['choices', 'options']));
  return {
    input: {
      ...rest,
      ...(question !== undefined && { question }),
      ...(choices && {
        choices: choices.map((choice) => fieldOf(choice, ['label', 'value', 'text']) ?? choice),
      }),
    },
  };
}

/** The general subagent has other names. */
export function adaptTask(input: Arguments): AdaptedCall {
  const { taken, rest } = take(input, ['agent', 'description', 'prompt', 'run_in_background']);
  const agent =
    typeof taken.agent === 'string' && /^general([-_ ]?purpose)?$/i.test(taken.agent)
      ? 'general'
      : taken.agent;
  const { prompt } = taken;
  const description =
    taken.description ?? (typeof prompt === 'string' ? prompt.split(/\s+/).slice(0, 5).join(' ') : undefined);
  return {
    input: {
      ...rest,
      ...(flagIn(taken.run_in_background) && { run_in_background: true }),
      ...(agent !== undefined && { agent }),
      ...(prompt !== undefined && { prompt }),
      ...(description !== undefined && { description }),
    },
  };
}

/** An address in a list of one, or in what to look for there. */
export function adaptUrl(input: Arguments): AdaptedCall {
  const { taken, rest } = take(input, ['urls']);
  const { prompt } = rest;
  const named =
    rest.url === undefined && typeof prompt === 'string' ? prompt.match(/https?:\/\/[^\s<>"'`)\]]+/g) : null;
  const urls = listIn(taken.urls) ?? named?.map((url) => url.replace(/[.,;:!?]+$/, ''));
  if (!urls) return { input };
  return urls.length === 1
    ? { input: { ...rest, url: urls[0] } }
    : { refuse: 'WebFetch takes one url. Call it once per page.' };
}
