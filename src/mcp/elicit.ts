import type { ElicitRequestFormParams, ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import type { UserQuestion } from '../contract/tool.ts';

export type Ask = (question: UserQuestion, signal: AbortSignal) => Promise<string | null>;

type Field = ElicitRequestFormParams['requestedSchema']['properties'][string];
type Value = string | number | boolean | string[];

const ANSWER = 'answer';
const DECLINE = 'decline';
const TRIES = 3;

/** Shows a server's form to the user, field by field, after asking whether to answer at all. */
export async function elicit(
  server: string,
  { message, requestedSchema }: Pick<ElicitRequestFormParams, 'message' | 'requestedSchema'>,
  { ask, signal }: { ask: Ask; signal: AbortSignal },
): Promise<ElicitResult> {
  const fields = Object.entries(requestedSchema.properties);
  const wanted = fields.map(([name, field]) => field.title ?? name).join(', ');
  const question = `The MCP server ${server} asks: ${message}${wanted === '' ? '' : `\nIt asks for: ${wanted}`}`;
  const said = await ask({ question, choices: [ANSWER, DECLINE] }, signal);
  if (said === null) return { action: 'cancel' };
  if (!/^(answer|yes|y)$/i.test(said.trim())) return { action: 'decline' };

  const content: Record<string, Value> = {};
  for (const [name, field] of fields) {
    const required = requestedSchema.required?.includes(name) ?? false;
    const value = await askField(name, field, { ask, signal, required });
    if (value === null) return { action: 'cancel' };
    if (value !== undefined) content[name] = value;
  }
  return { action: 'accept', content };
}

type Asking = { ask: Ask; signal: AbortSignal; required: boolean };

/** Undefined for an omitted field, null if the user cancels. */
async function askField(
  name: string,
  field: Field,
  { ask, signal, required }: Asking,
): Promise<Value | undefined | null> {
  const fallback = 'default' in field ? field.default : undefined;
  const hints = [
    field.description,
    fallback === undefined ? (required ? null : 'may be left empty') : `empty means ${String(fallback)}`,
  ].filter(Boolean);
  let question = `${field.title ?? name}${hints.length > 0 ? ` (${hints.join('; ')})` : ''}`;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const answer = (await ask({ question, choices: choicesOf(field) }, signal))?.trim();
    if (answer === undefined) return null;
    if (answer === '' && fallback !== undefined) return fallback;
    if (answer === '' && !required) return undefined;
    const value = parseAnswer(answer, field);
    if (typeof value !== 'object' || Array.isArray(value)) return value;
    question = `${field.title ?? name}: ${value.wrong}`;
  }
  return null;
}

function choicesOf(field: Field): string[] {
  if (field.type === 'boolean') return ['yes', 'no'];
  return options(field).map(({ title }) => title);
}

function options(field: Field): { value: string; title: string }[] {
  if ('enum' in field && field.enum) {
    const names = 'enumNames' in field ? field.enumNames : undefined;
    return field.enum.map((value, i) => ({ value, title: names?.[i] ?? value }));
  }
  if ('oneOf' in field) return field.oneOf.map((one) => ({ value: one.const, title: one.title }));
  if (field.type !== 'array') return [];
  const { items } = field;
  if ('enum' in items) return items.enum.map((value) => ({ value, title: value }));
  return items.anyOf.map((one) => ({ value: one.const, title: one.title }));
}

function parseAnswer(answer: string, field: Field): Value | { wrong: string } {
  if (field.type === 'boolean') {
    if (/^(y|yes|true)$/i.test(answer)) return true;
    return /^(n|no|false)$/i.test(answer) ? false : { wrong: 'yes or no?' };
  }
  if (field.type === 'number' || field.type === 'integer') return numberOf(answer, field);
  const known = options(field);
  const pick = (word: string) =>
    known.find(({ value, title }) => [value, title].some((one) => one.toLowerCase() === word.toLowerCase()))
      ?.value;
  if (field.type === 'array') {
    const picked = answer.split(',').map((word) => pick(word.trim()));
    const chosen = picked.filter((value) => value !== undefined);
    return chosen.length === picked.length
      ? chosen
      : { wrong: `any of ${known.map(({ title }) => title).join(', ')}, separated by commas` };
  }
  if (known.length > 0)
    return pick(answer) ?? { wrong: `one of ${known.map(({ title }) => title).join(', ')}` };
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = field as {
    minLength?: number;
    maxLength?: number;
  };
  if (answer.length < minLength) return { wrong: `at least ${minLength} characters` };
  return answer.length > maxLength ? { wrong: `at most ${maxLength} characters` } : answer;
}

function numberOf(
  answer: string,
  field: Extract<Field, { type: 'number' | 'integer' }>,
): number | { wrong: string } {
  const { type, minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = field;
  const value = Number(answer);
  if (!Number.isFinite(value)) return { wrong: 'a number' };
  if (type === 'integer' && !Number.isInteger(value)) return { wrong: 'a whole number' };
  if (value < minimum) return { wrong: `${minimum} or more` };
  return value > maximum ? { wrong: `${maximum} or less` } : value;
}
