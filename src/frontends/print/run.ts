import { type Report, Reporter } from '../../app/conversation/run-report.ts';
import { missingModelError } from '../../app/first-run/missing-model.ts';
import { type Opened, openAssistant } from '../../app/open-assistant.ts';
import { findModel } from '../../app/opening/find-model.ts';
import { recordOf } from '../../app/run-facts/run-facts.ts';
import { loadSettings } from '../../app/settings.ts';
import { UserError } from '../../contract/errors.ts';
import type { AgentEvent } from '../../contract/event.ts';
import { exitCodeOf } from '../shared/exit-codes.ts';
import type { Options } from '../shared/options.ts';
import { shutdownSignal } from '../shared/signals.ts';
import type { Terminal } from '../shared/terminal.ts';
import { consoleLog } from './console-log.ts';
import { printProgress } from './progress-lines.ts';
import { readLines, readStdin } from './stdin.ts';
import type { StructuredResult } from './structured-result.ts';

const SCHEMA_TRIES = 3;

/** The headless frontend: runs the task and prints the result; nothing else goes to standard output. */
export async function runPrint(prompt: string, options: Options, terminal: Terminal): Promise<number> {
  const { stdin, stderr } = terminal;
  if (options.inputFormat === 'stream-json' && options.outputFormat !== 'stream-json') {
    throw new UserError('--input-format stream-json needs --output-format stream-json.', 'Give both.');
  }
  const settings = loadSettings(options, terminal);
  const schema = options.jsonSchema === undefined ? undefined : await readSchema(options.jsonSchema);
  const piped =
    options.inputFormat === 'text' ? await readStdin(stdin, options.stdin ? 'patient' : 'brief') : null;
  const task = [prompt, piped].filter(Boolean).join('\n\n');
  if (options.inputFormat === 'text' && task === '') {
    if (!options.print) return (await import('./welcome.ts')).showWelcome(options, terminal);
    throw new UserError(
      'No task given.',
      'Give it after -p, or pipe it in: echo "explain this folder" | aca -p',
    );
  }
  const notice = (text: string) => stderr.write(`${text}\n`);
  const choice = await findModel(settings, terminal, { notice });
  if (!choice) throw await missingModelError(settings, terminal);

  const opened = await openAssistant(choice, { settings, options, host: terminal });
  const leaving = shutdownSignal(terminal);
  // Errors are reported by the final close.
  leaving.addEventListener('abort', () => void opened.close().catch(() => undefined));
  const { verbosity, log, colorOutput } = settings.config;
  const color = colorOutput && stderr.isTTY;
  const steps = verbosity === 'verbose' ? consoleLog(stderr, { level: log.level, color }) : undefined;
  const tell = printProgress(stderr, verbosity, steps);
  for (const text of opened.notices) tell({ type: 'notice', level: 'warn', text });
  for (const text of opened.hints) tell({ type: 'notice', level: 'info', text });
  opened.controller.listen(tell);
  try {
    if (options.inputFormat === 'stream-json') return await holdConversation(opened, terminal, leaving);
    return await doTask(task, { opened, options, terminal, schema, typed: prompt || task });
  } finally {
    await opened.close();
  }
}

async function readSchema(schemaOrFile: string): Promise<StructuredResult> {
  const { structuredResult } = await import('./structured-result.ts');
  return structuredResult(schemaOrFile);
}

type Task = {
  opened: Opened;
  options: Options;
  terminal: Terminal;
  schema: StructuredResult | undefined;
  /** The part of the task in which `@path` names a file. */
  typed: string;
};

async function doTask(task: string, { opened, options, terminal, schema, typed }: Task): Promise<number> {
  const { controller } = opened;
  const { stdout } = terminal;
  const reporter = new Reporter();
  controller.listen((event) => reporter.take(event));
  if (options.outputFormat === 'stream-json') controller.listen((event) => printLine(stdout, event));

  const named = await opened.extensions.promptFor(task);
  const wanted = named?.content ?? (await opened.attach([{ type: 'text', text: task }], typed));
  const content = schema ? [...wanted, { type: 'text' as const, text: `\n\n${schema.instruction}` }] : wanted;
  await controller.submit(content, named?.options);
  const reported = schema ? await insist(schema, opened, reporter) : reporter.report;
  const report = { ...reported, ...(await recordOf(reported, { undo: opened.undo, cwd: terminal.cwd })) };
  if (options.outputFormat !== 'text') printLine(stdout, report);
  else if (schema && 'structured' in report) printLine(stdout, report.structured);
  else if (!schema && report.result !== '') stdout.write(`${report.result}\n`);
  return exitCodeOf(report.stopReason, report.denials.length);
}

/** Sends an answer that does not match the schema back with the errors, a limited number of times. */
async function insist(schema: StructuredResult, { controller }: Opened, reporter: Reporter): Promise<Report> {
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
    await controller.submit([{ type: 'text', text }]);
  }
}

/**
 * A conversation over standard input: one JSON object per line. Prompts run one after another, and each run
 * ends with its own result line.
 */
async function holdConversation(
  { controller, undo, attach }: Opened,
  { stdin, stdout, cwd }: Terminal,
  leaving: AbortSignal,
): Promise<number> {
  let code = 0;
  let runs = Promise.resolve();
  controller.listen((event: AgentEvent) => printLine(stdout, event));
  for await (const line of readLines(stdin, leaving)) {
    const input = parseInput(line);
    if (input === 'interrupt') controller.interrupt();
    else runs = runs.then(() => runOne(input));
  }
  await runs;
  return code;

  async function runOne(text: string): Promise<void> {
    if (leaving.aborted) return;
    const reporter = new Reporter();
    const stop = controller.listen((event) => reporter.take(event));
    await controller.submit(await attach([{ type: 'text', text }]));
    stop();
    const { report } = reporter;
    printLine(stdout, { ...report, ...(await recordOf(report, { undo, cwd })) });
    code = exitCodeOf(report.stopReason, report.denials.length);
  }
}

function parseInput(line: string): string | 'interrupt' {
  const hint = 'Send {"type":"user","text":"…"} or {"type":"interrupt"}, one object a line.';
  let value: { type?: unknown; text?: unknown };
  try {
    value = JSON.parse(line) as typeof value;
  } catch {
    throw new UserError(`This input line is not JSON: ${line.slice(0, 100)}`, hint);
  }
  if (value.type === 'interrupt') return 'interrupt';
  if (value.type === 'user' && typeof value.text === 'string') return value.text;
  throw new UserError(`Unknown input line: ${line.slice(0, 100)}`, hint);
}

function printLine(stdout: NodeJS.WriteStream, value: unknown): void {
  stdout.write(`${JSON.stringify(value)}\n`);
}
