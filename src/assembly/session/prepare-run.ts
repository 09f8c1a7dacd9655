import type { Answers } from '../../agent/answers.ts';
import { answerCalls } from '../../agent/calls/answer-calls.ts';
import type { ControllerDeps } from '../../agent/controller.ts';
import type { RouterDeps } from '../../agent/router-deps.ts';
import { once } from '../../lib/async/closing.ts';
import { whileWaiting } from '../../lib/async/while-waiting.ts';
import { continueAfter } from '../../providers/wrappers/retry.ts';
import type { UndoStore } from '../../session/undo/undo-store.ts';
import type { BuiltDiagnostics } from '../diagnostics/build-diagnostics.ts';
import type { SessionExtensions } from '../extensions/extensions.ts';
import type { SessionTools } from '../extensions/session-tools.ts';
import type { Budget } from '../models/budget.ts';
import type { Models } from '../models/connect-models.ts';
import type { EffortState } from '../models/effort.ts';
import { repetitionLimit } from '../models/small-model.ts';
import type { Parts } from '../parts.ts';
import type { Safety } from '../safety/build-safety.ts';
import type { BuiltWindow } from '../window/build-window.ts';
import { runInfo } from './history-state.ts';

export type PrepareRunDeps = {
  router: RouterDeps;
  safety: Pick<Safety, 'capabilities' | 'judge'>;
  answers: Answers;
  undo: Pick<UndoStore, 'beginRun'>;
  budget: Pick<Budget, 'beginRun' | 'takeCost'>;
  models: Pick<Models, 'forPrompt'>;
  effort: Pick<EffortState, 'applied'>;
  extensions: Pick<SessionExtensions, 'beginRun' | 'transformMessage' | 'remainingWork'>;
  tools: Pick<SessionTools, 'servers'>;
  window: Pick<BuiltWindow, 'epochs' | 'view'>;
  diagnostics: Pick<BuiltDiagnostics, 'remainingWork'>;
};

/** After this much silence from the model there is time to prepare for the commands it may call. */
const THINKING_MS = 100;

/** Prepares each run of a session, once its prompt is known. */
export function runPreparation(
  { config, opened: { session } }: Parts,
  deps: PrepareRunDeps,
): ControllerDeps['prepareRun'] {
  const { router, answers, undo, budget, models, effort, extensions, tools, diagnostics } = deps;
  const { epochs, view } = deps.window;
  const { capabilities, judge } = deps.safety;
  /** A failure here recurs, and is reported, when a command needs it. */
  const prepareCommands = once(async () => {
    // The schema of a tool is compiled on first use.
    router.find('Bash')?.input.safeParse({});
    await Promise.all([capabilities.shell.prepare(), judge.prepare()]).catch(() => undefined);
  });
  return async (options) => {
    // Not earlier: until the first run, a long session may still be loading.
    answers.learn(session.messages);
    const info = runInfo(session.messages);
    judge.beginRun();
    undo.beginRun(info);
    budget.beginRun(info.prompt);
    const { choice, provider } = await models.forPrompt(info.prompt, options.model);
    extensions.beginRun(options);
    await tools.servers?.ready(info.prompt);
    await epochs.ensure();
    return {
      provider: choice.preset.name,
      model: choice.model,
      ask: (history, signal) => {
        const reply = provider.stream(effort.applied(view.request(history), history), signal);
        return whileWaiting(reply, { afterMs: THINKING_MS, work: prepareCommands });
      },
      ...answerCalls(router, repetitionLimit(choice)),
      transformMessage: extensions.transformMessage,
      remainingWork: async (again, signal) =>
        (await extensions.remainingWork(again, signal)) ?? (await diagnostics.remainingWork(again, signal)),
      steered: (prompt) => {
        judge.beginRun();
        undo.beginRun(runInfo([...session.messages, prompt]));
      },
      makeRoom: (cause, signal) => view.makeRoom(cause, signal),
      continueAfter,
      dropReasoning: () => epochs.dropReasoning(),
      costOf: () => budget.takeCost(),
      maxTurns: config.maxTurns,
    };
  };
}
