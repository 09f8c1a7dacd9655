import { Answers } from '../../agent/answers.ts';
import { InterruptedCalls } from '../../agent/interrupted-calls.ts';
import type { RouterDeps } from '../../agent/router-deps.ts';
import type { CommandRun, ToolContext } from '../../contract/tool.ts';
import { limited, unlessAborted } from '../../lib/async/abort.ts';
import type { BuiltDiagnostics } from '../diagnostics/build-diagnostics.ts';
import type { SessionExtensions } from '../extensions/extensions.ts';
import type { SessionTools } from '../extensions/session-tools.ts';
import { createUserCalls } from '../extensions/user-calls.ts';
import { createIsolation } from '../isolation/create-isolation.ts';
import type { BuiltModels } from '../models/build-models.ts';
import { requestSettings } from '../models/request-settings.ts';
import type { Parts } from '../parts.ts';
import type { Safety } from '../safety/build-safety.ts';
import type { BuiltWindow } from '../window/build-window.ts';
import type { Caches } from './caches.ts';
import type { SessionCore } from './open-core.ts';
import { createRouter, withSubagents } from './session-router.ts';
import { withRules, withSkills } from './skill-router.ts';
import { Subagents } from './subagents.ts';

export type BuildCallsDeps = {
  core: SessionCore;
  safety: Safety;
  caches: Caches;
  models: BuiltModels;
  extensions: SessionExtensions;
  tools: SessionTools;
  window: BuiltWindow;
  diagnostics: BuiltDiagnostics;
};

export type BuiltCalls = ReturnType<typeof buildCalls>;

/** How long the end of a session waits for interrupted tools. */
const INTERRUPTED_MS = 5_000;

/** How a session's tool calls run: those of the model, its subagents, and the user. */
export function buildCalls(parts: Parts, deps: BuildCallsDeps) {
  const { core, safety, caches, models, extensions, tools, window, diagnostics } = deps;
  const { writer, undo } = core;
  const interrupted = new InterruptedCalls();
  const answers = new Answers();
  const ending = new AbortController();
  const routing = {
    extensions,
    answers,
    interrupted,
    models: models.models,
    ...(parts.instead && { instead: parts.instead }),
  };
  const withoutSubagents = createRouter({
    ...routing,
    cwd: parts.cwd,
    tools,
    safety,
    caches,
    instructions: window.instructions,
    writer,
    diagnostics,
  });
  const subagents = new Subagents({
    config: parts.config,
    opened: parts.opened,
    agents: parts.agents ?? [],
    cwd: parts.cwd,
    isolation: createIsolation(parts, { core, safety, tools, router: routing }),
    router: withoutSubagents,
    definitions: tools.definitions,
    surroundings: window.surroundings,
    outgoing: safety.privacy.outgoing,
    settings: requestSettings(parts.config),
    effort: models.effort.get,
    models: models.models,
    budget: models.budget,
    hooks: extensions.hooks,
    skillIn: extensions.skillIn,
    notes: (conversation) => window.instructionsFor(conversation).notesFor,
  });
  const active = extensions.rules;
  const router = withSkills(
    withSubagents(withoutSubagents, subagents, () => active.inherited()),
    { active, skillIn: extensions.skillIn, delegate: subagents.delegate },
  );
  const { signal } = ending;
  const ofUser: RouterDeps = {
    ...withoutSubagents,
    before: extensions.beforeUserCall,
    decide: safety.judge.decide,
    context: (...about) => stoppingAtLimits(withoutSubagents.context(...about)),
  };
  const userCalls = createUserCalls({
    routerFor: (rules) =>
      withSubagents(
        withRules(ofUser, () => rules),
        subagents,
        () => rules,
      ),
    writer,
    undo,
    definitions: tools.builtin,
    signal,
  });
  return {
    router,
    answers,
    subagents,
    userCalls,
    /** Interrupts calls of the user. */
    stop: () => ending.abort(new DOMException('The session is closing.', 'AbortError')),
    /** Waits for interrupted calls, with a time limit. */
    ended: () => unlessAborted(interrupted.ended(), limited(INTERRUPTED_MS)),
  };
}

/** Nobody asks later for the output of a command that was not the model's. */
function stoppingAtLimits(context: ToolContext): ToolContext {
  const { shell } = context;
  const run = ({ continuesInBackground: _, ...wanted }: CommandRun) => shell.run(wanted);
  return { ...context, shell: { ...shell, run } };
}
