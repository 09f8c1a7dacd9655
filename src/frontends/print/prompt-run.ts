import type { HeadlessCommand } from '../../app/conversation/headless-commands.ts';
import { type Report, Reporter } from '../../app/conversation/run-report.ts';
import type { Host } from '../../app/host.ts';
import type { Opened } from '../../app/open-assistant.ts';
import { recordOf } from '../../app/run-facts/run-facts.ts';
import type { RunOptions } from '../../contract/command.ts';
import { BudgetReachedError, ProviderError, UserError } from '../../contract/errors.ts';
import { textOf, toolCallsOf, type UserMessage } from '../../contract/message.ts';
import { type RequiredChecks, requireChecks } from './required-checks.ts';
import type { StructuredResult } from './structured-result.ts';

const SCHEMA_TRIES = 3;

export type PromptRunDeps = {
  opened: Opened;
  host: Host;
  /** The part of the prompt in which `@path` names a file; all of it if absent. */
  typed?: string;
  /** Ends a command. */
  signal: AbortSignal;
  schema?: StructuredResult | undefined;
  checks?: RequiredChecks | undefined;
  /** For what people must know about the checks. */
  stderr: Pick<NodeJS.WriteStream, 'write'>;
  /** For every run, unless a command sets its own. */
  options?: RunOptions;
};

/**
 * Runs one prompt or slash command to its end, and its checks; without content, continues the session. Throws a
 * `UserError` for a command that cannot run.
 */
export async function runPrompt(
  content: UserMessage['content'] | null,
  deps: PromptRunDeps,
): Promise<Report> {
  const { opened, host, checks } = deps;
  const reporter = new Reporter();
  const stop = opened.controller.listen((event) => reporter.take(event));
  const since = new Date().toISOString();
  try {
    const answered = await answer(content, deps, reporter);
    const reported = checks
      ? await requireChecks(answered, checks, {
          call: opened.call,
          signal: deps.signal,
          stderr: deps.stderr,
          submit: (text) => send([{ type: 'text', text }], deps, reporter),
        })
      : answered;
    const { changes, checks: ran } = await recordOf(reported, { ...opened, cwd: host.cwd, since });
    const { checks: required = [] } = reported;
    const { durationMs } = reporter.report;
    const others = ran.filter(({ name }) => !required.some((check) => check.name === name));
    return { ...reported, durationMs, changes, checks: [...others, ...required] };
  } finally {
    stop();
  }
}

async function answer(
  content: UserMessage['content'] | null,
  deps: PromptRunDeps,
  reporter: Reporter,
): Promise<Report> {
  const { opened, host } = deps;
  if (content === null) return goOn(deps, reporter);
  const command = await commandFor(lineOf(content), opened, host);
  if (command) return runCommand(command, deps, reporter);
  return send(await opened.attach(content, deps.typed), deps, reporter);
}

/** Continues a run that was interrupted; one that had ended is not run again. */
async function goOn({ opened, schema }: PromptRunDeps, reporter: Reporter): Promise<Report> {
  const { controller } = opened;
  await opened.opened.ready;
  const last = controller.session.messages.at(-1);
  if (last?.role === 'assistant' && last.stopReason === 'end' && toolCallsOf(last).length === 0) {
    const { id: sessionId } = controller.session;
    const { provider, model } = last;
    return { ...reporter.report, sessionId, provider, model, stopReason: 'done', result: textOf(last) };
  }
  await controller.retry();
  return schema ? insist(schema, opened, { reporter }) : reporter.report;
}

/** Most prompts are none, and load nothing for it. */
async function commandFor(line: string, opened: Opened, host: Host): Promise<HeadlessCommand | null> {
  if (!line.trimStart().startsWith('/')) return null;
  const { headlessCommand } = await import('../../app/conversation/headless-commands.ts');
  return headlessCommand(line, opened, host);
}

/** Images make it a prompt. */
function lineOf(content: UserMessage['content']): string {
  return content.every(({ type }) => type === 'text')
    ? content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
    : '';
}

/** Its result is the model's answer if it sends a prompt, and what it prints if not. */
async function runCommand(
  { run }: HeadlessCommand,
  deps: PromptRunDeps,
  reporter: Reporter,
): Promise<Report> {
  const { controller, choice } = deps.opened;
  const printed: string[] = [];
  let answered: Report | undefined;
  const idle = {
    sessionId: controller.session.id,
    provider: choice.preset.name,
    model: choice.model,
  };
  try {
    await run({
      signal: deps.signal,
      print: (text) => void printed.push(text),
      submit: async (content, options) => {
        for (const text of printed.splice(0)) controller.notice('info', text);
        answered = await send(content, { ...deps, options: { ...deps.options, ...options } }, reporter);
      },
    });
  } catch (error) {
    const { signal } = deps;
    const isKnown = error === signal.reason || error instanceof ProviderError || error instanceof UserError;
    if (signal.aborted && isKnown) return { ...reporter.report, ...idle, stopReason: 'interrupted' };
    if (!(error instanceof ProviderError) && !(error instanceof BudgetReachedError)) throw error;
    const stopReason = error instanceof BudgetReachedError ? 'budget' : 'error';
    return { ...reporter.report, ...idle, stopReason, error: { message: error.message } };
  }
  if (answered) return answered;
  return { ...reporter.report, ...idle, stopReason: 'done', result: printed.join('\n') };
}

async function send(
  content: UserMessage['content'],
  { opened, schema, options }: PromptRunDeps,
  reporter: Reporter,
): Promise<Report> {
  const wanted = schema
    ? [...content, { type: 'text' as const, text: `\n\n${schema.instruction}` }]
    : content;
  await opened.controller.submit(wanted, options);
  return schema ? insist(schema, opened, { reporter, ...(options && { options }) }) : reporter.report;
}

/** Sends an answer that does not match the schema back with the errors, a limited number of times. */
async function insist(
  schema: StructuredResult,
  { controller }: Opened,
  { reporter, options }: { reporter: Reporter; options?: RunOptions },
): Promise<Report> {
  for (let attempt = 1; ; attempt++) {
    const report = reporter.report;
    if (report.stopReason !== 'done') return report;
    const checked = schema.check(report.result);
    if (checked.valid) return { ...report, structured: checked.value };
    if (attempt === SCHEMA_TRIES) {
      const error = {
        message: `The answer does not match the JSON Schema: ${checked.problem}`,
        hint: 'Simplify the schema or try a stronger model.',
      };
      controller.notice('warn', error.message);
      return { ...report, stopReason: 'error', error };
    }
    const text = `Your answer does not match the schema:\n${checked.problem}\nAnswer again with the corrected JSON value only.`;
    await controller.submit([{ type: 'text', text }], options);
  }
}
