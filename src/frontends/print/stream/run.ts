import { type StartedTelemetry, startTelemetry } from '../../../app/opening/start-telemetry.ts';
import { loadSettings } from '../../../app/settings.ts';
import { UserError } from '../../../contract/errors.ts';
import type { Options } from '../../shared/options.ts';
import { shutdownSignal } from '../../shared/signals.ts';
import type { Terminal } from '../../shared/terminal.ts';
import { toolNames } from '../claude/output.ts';
import { printLine } from '../output.ts';
import { checksOf, openHeadless } from '../run.ts';
import { readLines } from '../stdin.ts';
import { initialOptions } from './control.ts';
import { holdConversation } from './conversation.ts';
import { type Input, parseLine } from './input-line.ts';
import { answeredById, StreamQuestions } from './questions.ts';

/** A conversation with another program: one JSON object per line, in both directions. */
export async function runStream(given: Options, terminal: Terminal): Promise<number> {
  if (given.outputFormat !== 'stream-json')
    throw new UserError('--input-format stream-json needs --output-format stream-json.', 'Give both.');
  const { stderr } = terminal;
  const leaving = shutdownSignal(terminal);
  // The first line may be long in coming.
  const telemetry = await startTelemetry(loadSettings(given, terminal), given, terminal);
  for (const notice of telemetry?.notices.splice(0) ?? []) stderr.write(`${notice}\n`);
  try {
    return await converse(given, terminal, { leaving, telemetry });
  } finally {
    await telemetry?.telemetry.close();
  }
}

type Around = { leaving: AbortSignal; telemetry: StartedTelemetry | undefined };

async function converse(given: Options, terminal: Terminal, { leaving, telemetry }: Around): Promise<number> {
  const { stdin, stdout, stderr } = terminal;
  const checks = checksOf(given);
  const inputs = readInputs(stdin, leaving);
  const first = await inputs.next();
  const options = first.done ? given : withInitial(given, first.value, stdout);
  const print = (line: object) => printLine(stdout, line);
  const asks = options.permissionPromptTool === 'stdio' && { approver: answeredById };
  return openHeadless(
    options,
    terminal,
    { leaving, telemetry, ...asks },
    async ({ opened, output, schema }) => {
      const toolName = options.compat === 'claude' ? toolNames(opened) : (tool: string) => tool;
      const questions = new StreamQuestions({ opened, print, toolName });
      const all = first.done ? inputs : startingWith(first.value, inputs);
      const deps = {
        ...{ opened, output, schema, checks, questions, print },
        ...{ host: terminal, signal: leaving, stderr },
      };
      return holdConversation(all, deps);
    },
  );
}

async function* readInputs(stdin: Terminal['stdin'], leaving: AbortSignal): AsyncGenerator<Input> {
  for await (const line of readLines(stdin, leaving)) yield parseLine(line);
}

async function* startingWith(first: Input, others: AsyncIterable<Input>): AsyncGenerator<Input> {
  yield first;
  yield* others;
}

/** A client that starts with Claude Code's `initialize` speaks its protocol, and may set options in it. */
function withInitial(options: Options, first: Input, stdout: Terminal['stdout']): Options {
  if (first.type !== 'request' || first.request.subtype !== 'initialize') return options;
  try {
    const { mcpConfig = [], ...initial } = initialOptions(first.request);
    return {
      ...options,
      ...initial,
      compat: 'claude',
      mcpConfig: [...(options.mcpConfig ?? []), ...mcpConfig],
    };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const response = { subtype: 'error', request_id: first.id, error: `${error.message} ${error.hint}` };
    printLine(stdout, { type: 'control_response', response });
    throw error;
  }
}
