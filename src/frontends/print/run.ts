import { missingModelError } from '../../app/first-run/missing-model.ts';
import { type Opened, openAssistant } from '../../app/open-assistant.ts';
import { findModel } from '../../app/opening/find-model.ts';
import type { StartedTelemetry } from '../../app/opening/start-telemetry.ts';
import { loadSettings } from '../../app/settings.ts';
import { UserError } from '../../contract/errors.ts';
import type { TextPart } from '../../contract/message.ts';
import type { Approver } from '../../contract/permission.ts';
import type { Options } from '../shared/options.ts';
import { shutdownSignal } from '../shared/signals.ts';
import type { Terminal } from '../shared/terminal.ts';
import { consoleLog } from './console-log.ts';
import { assertSeesImages, readImages } from './images.ts';
import { type Output, ownOutput } from './output.ts';
import { printProgress } from './progress-lines.ts';
import { runPrompt } from './prompt-run.ts';
import { DEFAULT_RETRIES, type RequiredChecks } from './required-checks.ts';
import { readStdin } from './stdin.ts';
import type { StructuredResult } from './structured-result.ts';

/** The headless frontend: runs the task and prints the result; nothing else goes to standard output. */
export async function runPrint(prompt: string, options: Options, terminal: Terminal): Promise<number> {
  const { image: files = [] } = options;
  if (options.inputFormat === 'stream-json' && files.length > 0)
    throw new UserError(
      '--image does not work with --input-format stream-json.',
      'Put the images into the messages.',
    );
  if (options.inputFormat === 'stream-json')
    return (await import('./stream/run.ts')).runStream(options, terminal);
  const piped = await readStdin(terminal.stdin, options.stdin ? 'patient' : 'brief');
  const task = [prompt, piped].filter(Boolean).join('\n\n');
  const goesOn = task === '' && options.print && (typeof options.resume === 'string' || options.continue);
  if (task === '' && !goesOn) {
    if (!options.print) return (await import('./welcome.ts')).showWelcome(options, terminal);
    throw new UserError(
      'No task given.',
      'Give it after -p, or pipe it in: echo "explain this folder" | aca -p',
    );
  }
  const checks = checksOf(options);
  const images = await readImages(files, terminal.cwd);
  const leaving = shutdownSignal(terminal);
  return openHeadless(options, terminal, { leaving }, async ({ opened, output, schema }) => {
    if (images.length > 0) assertSeesImages(opened.choice);
    const content = goesOn ? null : [taskPart(task, prompt, options), ...images];
    const report = await runPrompt(content, {
      ...{ opened, schema, host: terminal, signal: leaving, checks, stderr: terminal.stderr },
      typed: prompt || task,
    });
    await output.result(report);
    return output.exitCode(report);
  });
}

/** What was piped in beside a prompt, or comes from others, was not typed. */
function taskPart(task: string, prompt: string, { stdinFrom }: Options): TextPart {
  if (stdinFrom === undefined) return { type: 'text', text: task, typed: prompt || task };
  const origin = { kind: 'others' as const, name: stdinFrom };
  return { type: 'text', text: task, ...(prompt !== '' && { typed: prompt }), origin };
}

type HeadlessOptions = {
  leaving: AbortSignal;
  approver?: Approver;
  /** Owned by the caller; without it, the assistant starts and stops its own. */
  telemetry?: StartedTelemetry | undefined;
};

type Headless = { opened: Opened; output: Output; schema: StructuredResult | undefined };

/** Opens the assistant for `work`, with its progress on standard error and its events in the output. */
export async function openHeadless(
  options: Options,
  terminal: Terminal,
  { leaving, approver, telemetry }: HeadlessOptions,
  work: (headless: Headless) => Promise<number>,
): Promise<number> {
  const { stderr, stdout } = terminal;
  const settings = loadSettings(options, terminal);
  const schema = options.jsonSchema === undefined ? undefined : await readSchema(options.jsonSchema);
  const notice = (text: string) => stderr.write(`${text}\n`);
  const choice = await findModel(settings, terminal, { notice });
  if (!choice) throw await missingModelError(settings, terminal);

  const opened = await openAssistant(choice, {
    settings,
    options,
    host: terminal,
    ...(approver && { approver }),
    telemetry,
  });
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
    const output =
      options.compat === 'claude'
        ? await (await import('./claude/output.ts')).claudeOutput(opened, options, stdout)
        : ownOutput(options, stdout);
    opened.controller.listen((event) => output.take(event));
    return await work({ opened, output, schema });
  } finally {
    await opened.close();
  }
}

/** Undefined if there are none. */
export function checksOf({
  check = [],
  checkRetries = DEFAULT_RETRIES,
}: Options): RequiredChecks | undefined {
  const blank = check.find((command) => command.trim() === '');
  if (blank !== undefined)
    throw new UserError('--check needs a command.', "Write it like --check 'npm test'.");
  return check.length > 0 ? { commands: check, retries: checkRetries } : undefined;
}

async function readSchema(schemaOrFile: string): Promise<StructuredResult> {
  const { structuredResult } = await import('./structured-result.ts');
  return structuredResult(schemaOrFile);
}
