import type { Display, Exploration, Summary } from '../../contract/display.ts';
import { type ToolCallPart, type ToolMessage, textOf } from '../../contract/message.ts';
import type { Access } from '../../contract/permission.ts';
import type { Tool } from '../../contract/tool.ts';
import { unlessErrno } from '../../lib/files/errno.ts';
import { readRegularText } from '../../lib/files/regular-file.ts';
import { askedDisplay, askUser } from '../../tools/ask-user.ts';
import { builtinTools } from '../../tools/index.ts';
import { presentPlan, reviewedPlan } from '../../tools/present-plan.ts';

/** A call of a saved conversation, for people. */
export type PastCall = {
  title: string;
  outcome: 'done' | 'failed' | 'interrupted';
  because?: string;
  summary?: Summary;
  explores?: Exploration;
  display?: Display;
  /** What it accessed, or would have. */
  accesses: Access[];
};

export type Answered = { call: ToolCallPart; answer: ToolMessage | undefined };

type ShowPath = (path: string) => string;

/** As it was shown when it ran, as far as the session has kept it. */
export function pastCall({ call, answer }: Answered, shown: ShowPath): PastCall {
  const tool = toolNamed(call.name);
  const { summary } = answer ?? {};
  const facts = {
    ...titleAndAccesses(call, tool, shown),
    ...(summary && { summary }),
  };
  if (!answer || summary?.kind === 'interrupted') return { ...facts, outcome: 'interrupted' };
  if (!answer.success) return { ...facts, outcome: 'failed', because: textOf(answer) };
  const display = displayOf(call, answer);
  const { explores } = tool ?? {};
  return { ...facts, outcome: 'done', ...(explores && { explores }), ...(display && { display }) };
}

/** With its whole result, from the file it was saved to if it was too long for the model. */
export function wholePastCall({ call, answer }: Answered, shown: ShowPath): PastCall {
  const { because: _, ...past } = pastCall({ call, answer }, shown);
  if (!answer || past.display?.kind === 'text') return past;
  return { ...past, display: { kind: 'text', text: wholeText(answer) } };
}

let tools: ReadonlyMap<string, Tool> | undefined;

function toolNamed(name: string): Tool | undefined {
  tools ??= new Map(builtinTools().map((tool) => [tool.name, tool]));
  return tools.get(name);
}

function titleAndAccesses({ name, input }: ToolCallPart, tool: Tool | undefined, shown: ShowPath) {
  const parsed = tool?.input.safeParse(input);
  if (tool && parsed?.success)
    return { title: tool.title(parsed.data, shown), accesses: tool.access(parsed.data) };
  const words = Object.values(input ?? {}).find((value) => typeof value === 'string') ?? '';
  return { title: `${name} ${words}`.trimEnd(), accesses: [] };
}

function displayOf({ name, input }: ToolCallPart, answer: ToolMessage): Display | undefined {
  const fields = (input ?? {}) as Record<string, unknown>;
  if (name === askUser.name) return askedDisplay(String(fields.question), textOf(answer));
  if (name === presentPlan.name) {
    const plan = reviewedPlan(input, textOf(answer));
    return plan === null ? undefined : { kind: 'text', text: plan };
  }
  if (name === 'Bash') {
    const { command, exitCode } = answer.metadata ?? {};
    if (typeof command !== 'string' || typeof exitCode !== 'number') return undefined;
    return { kind: 'command', command, exitCode, output: textOf(answer) };
  }
  const changes = Array.isArray(fields.edits) ? fields.edits : [fields];
  const text = changes.flatMap((change) => changedLines(change as Record<string, unknown>)).join('\n');
  return text === '' ? undefined : { kind: 'text', text };
}

/** What an edit replaced and what a file was written with. The session does not say where in the file. */
function changedLines({ old_string: before, new_string: after, content }: Record<string, unknown>): string[] {
  const marked = (text: unknown, mark: string) =>
    typeof text === 'string' && text !== ''
      ? text
          .replace(/\n$/, '')
          .split('\n')
          .map((line) => `${mark} ${line}`)
      : [];
  return [...marked(before, '-'), ...marked(after, '+'), ...marked(content, '+')];
}

function wholeText(answer: ToolMessage): string {
  const file = answer.metadata?.fullOutput;
  if (typeof file !== 'string') return textOf(answer);
  // It may have been removed since.
  return unlessErrno('any', null, () => readRegularText(file)) ?? textOf(answer);
}
