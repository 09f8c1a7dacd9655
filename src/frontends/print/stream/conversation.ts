import { type Report, Reporter } from '../../../app/conversation/run-report.ts';
import { UserError } from '../../../contract/errors.ts';
import type { UserMessage } from '../../../contract/message.ts';
import { exitCodes } from '../../shared/exit-codes.ts';
import type { Output } from '../output.ts';
import { type PromptRunDeps, runPrompt } from '../prompt-run.ts';
import { type Controls, control } from './control.ts';
import type { ControlRequest, Input } from './input-line.ts';
import type { StreamQuestions } from './questions.ts';

type Deps = PromptRunDeps & {
  output: Output;
  questions: StreamQuestions;
  print(line: object): void;
};

/**
 * A conversation over standard input. Prompts run one after another, and each run ends with its own result;
 * control requests are answered at once.
 */
export async function holdConversation(inputs: AsyncIterable<Input>, deps: Deps): Promise<number> {
  const { opened, output, questions, print, signal } = deps;
  let current = new AbortController();
  const controls: Controls = {
    options: {},
    interrupt() {
      opened.controller.interrupt();
      for (const one of opened.repositories) one.interrupt();
      current.abort(new DOMException('Interrupted by the user.', 'AbortError'));
    },
  };
  let waiting: UserMessage['content'] = [];
  let code: number = exitCodes.done.code;
  let runs = Promise.resolve();
  try {
    for await (const input of inputs) {
      if (input.type === 'answer') questions.answer(input.id, input.response);
      else if (input.type === 'request') await answer(input);
      else if (input.type === 'prompt') {
        waiting = [...waiting, ...input.content];
        if (input.waits) continue;
        const content = waiting;
        waiting = [];
        runs = runs.then(() => runOne(content));
      }
    }
  } finally {
    questions.end();
    await runs;
  }
  return code;

  async function runOne(content: UserMessage['content']): Promise<void> {
    if (signal.aborted) return;
    current = new AbortController();
    const report = await runPrompt(content, {
      ...deps,
      signal: AbortSignal.any([signal, current.signal]),
      options: { ...controls.options },
    }).catch(failed);
    await output.result(report);
    code = output.exitCode(report);
  }

  /** A command that cannot run ends its own run, and not the conversation. */
  function failed(error: unknown): Report {
    if (!(error instanceof UserError)) throw error;
    const { message, hint } = error;
    opened.controller.notice('warn', `${message} ${hint}`);
    const sessionId = opened.controller.session.id;
    return { ...new Reporter().report, sessionId, stopReason: 'error', error: { message, hint } };
  }

  async function answer({ id, request }: { id: string; request: ControlRequest }): Promise<void> {
    const response = await control(request, opened, controls).then(
      (done) => ({ subtype: 'success', request_id: id, response: done }),
      (error: unknown) => {
        if (!(error instanceof UserError)) throw error;
        return { subtype: 'error', request_id: id, error: `${error.message} ${error.hint}` };
      },
    );
    // Our own `interrupt` has no id and expects no answer.
    if (id !== '') print({ type: 'control_response', response });
  }
}
