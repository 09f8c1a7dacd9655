import { homedir } from 'node:os';
import type { Answers } from '../../agent/answers.ts';
import type { InterruptedCalls } from '../../agent/interrupted-calls.ts';
import type { RouterDeps } from '../../agent/router-deps.ts';
import type { SessionWriter } from '../../agent/session-writer.ts';
import type { PromptRules } from '../../contract/permission.ts';
import { pathExistsIn } from '../../lib/files/path-exists.ts';
import { shownPath } from '../../lib/paths/shown-path.ts';
import type { BuiltDiagnostics } from '../diagnostics/build-diagnostics.ts';
import type { SessionExtensions } from '../extensions/extensions.ts';
import type { SessionTools } from '../extensions/session-tools.ts';
import type { Models } from '../models/connect-models.ts';
import type { InsteadOfTool } from '../parts.ts';
import type { Safety } from '../safety/build-safety.ts';
import { shellFor } from '../safety/undoable-shell.ts';
import type { ProjectInstructions } from '../window/project-instructions.ts';
import type { Caches } from './caches.ts';
import { fitResult } from './fit-images.ts';
import { keepOutput } from './keep-output.ts';
import type { Subagents } from './subagents.ts';

export type SessionRouterDeps = {
  cwd: string;
  tools: Pick<SessionTools, 'router'>;
  safety: Safety;
  extensions: Pick<SessionExtensions, 'router' | 'uses'>;
  caches: Pick<Caches, 'router'>;
  instructions: Pick<ProjectInstructions, 'notesFor'>;
  writer: Pick<SessionWriter, 'callLog'>;
  answers: Answers;
  interrupted: InterruptedCalls;
  models: Pick<Models, 'current'>;
  instead?: InsteadOfTool;
  /** Absent for subagents in copies of the project. */
  diagnostics?: Pick<BuiltDiagnostics, 'router' | 'expect' | 'beforeChange'>;
};

/** How calls of a session are looked up, judged and run. Does not start subagents. */
export function createRouter(deps: SessionRouterDeps): RouterDeps {
  const { cwd, tools, safety, extensions, caches, instructions, writer } = deps;
  const { answers, interrupted, models, instead, diagnostics } = deps;
  const place = { cwd, home: homedir() };
  const { privacy, judge, sources, capabilities, startup, shell, folders } = safety;
  const { perform } = caches.router;
  return {
    ...tools.router,
    shownPath: (path) => shownPath(path, place),
    decide: async (request, options) => {
      const { limits, callId } = request;
      diagnostics?.expect(request.accesses);
      const uses = extensions.uses();
      const only = [...(limits?.only ?? []), uses];
      const decision = await judge.decide(
        uses.length > 0 ? { ...request, limits: { ...limits, only } } : request,
        instead?.isUnattended(callId) ? { ...options, isUnattended: true } : options,
      );
      const because = decision.verdict === 'allow' ? (instead?.refusal(callId) ?? null) : null;
      return because === null ? decision : { verdict: 'deny', by: 'replay', because };
    },
    context: (signal, reporter, scope) => ({
      ...capabilities.context(signal, reporter, scope),
      shell: shellFor(shell, scope),
      mayLeaveSandbox: judge.mayLeaveSandbox,
    }),
    localInput: privacy.localInput,
    unknownPlaceholders: privacy.unknownPlaceholders,
    printed: privacy.printed,
    noteSources: (call) => sources.note(call, () => capabilities.shell.sandbox()),
    isReadOnly: judge.isReadOnly,
    faults: new Map(),
    shownForms: new Set(),
    pathExists: pathExistsIn(cwd),
    answerTo: (callId) => answers.get(callId),
    keepOutput: (callId, text) => keepOutput(folders.output, callId, text),
    windowTokens: () => models.current().info.contextWindow,
    notesFor: instructions.notesFor,
    ...extensions.router,
    ...diagnostics?.router,
    perform: async (work, context, reporter) => {
      const given = await instead?.result({ ...work, id: reporter.callId });
      if (given) return given;
      if (work.changes.length > 0) await diagnostics?.beforeChange(context.signal);
      const result = perform ? perform(work, context, reporter) : work.tool.run(work.input, context);
      return startup.settle(await fitResult(await result, context.accepts), context.signal, reporter);
    },
    inTurn: capabilities.inTurn,
    interrupted,
    log: {
      started: writer.callLog.started,
      answered: async (message) => {
        await writer.callLog.answered(message);
        answers.add(message);
      },
    },
  };
}

/** The same, for calls that may start subagents; `rules` also apply to those. */
export function withSubagents(
  router: RouterDeps,
  subagents: Pick<Subagents, 'delegate'>,
  rules: () => readonly PromptRules[] = () => [],
): RouterDeps {
  return {
    ...router,
    context: (signal, reporter, scope) => ({
      ...router.context(signal, reporter, scope),
      delegate: subagents.delegate(reporter, signal, rules()),
    }),
  };
}
