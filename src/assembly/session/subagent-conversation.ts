import { answerCalls } from '../../agent/calls/answer-calls.ts';
import { Controller } from '../../agent/controller.ts';
import type { RouterDeps } from '../../agent/router-deps.ts';
import { SessionWriter } from '../../agent/session-writer.ts';
import { forwardingLog, runSubagent, SubagentTotals } from '../../agent/subagent.ts';
import type { Config } from '../../config/schema/schema.ts';
import { type Surroundings, systemPrompt } from '../../context/prompt/system-prompt.ts';
import { statedBy } from '../../context/surroundings.ts';
import type { AgentEvent } from '../../contract/event.ts';
import type { PromptRules } from '../../contract/permission.ts';
import type { EffortChoice } from '../../contract/request/effort.ts';
import type { ToolDefinition } from '../../contract/request/tool-definition.ts';
import type { Session } from '../../contract/session.ts';
import type { Delegated, Delegation } from '../../contract/tool.ts';
import { EventChannel } from '../../lib/async/event-channel.ts';
import { cacheKeyOf } from '../../providers/models/cache-key.ts';
import { continueAfter } from '../../providers/wrappers/retry.ts';
import type { OpenSubagent } from '../../session/subagent-files.ts';
import type { HookedAgent, SessionHooks } from '../extensions/hooks/session-hooks.ts';
import type { ConnectedModel } from '../models/background-model.ts';
import type { Budget, CallCosts } from '../models/budget.ts';
import type { Models } from '../models/connect-models.ts';
import { outputLimits } from '../models/request-settings.ts';
import { repetitionLimit } from '../models/small-model.ts';
import { takesToolChanges } from '../models/tool-changes.ts';
import { ConversationView } from '../window/conversation-view.ts';
import { Epochs } from '../window/epochs.ts';
import type { ProjectInstructions } from '../window/project-instructions.ts';
import type { Base } from '../window/sent-messages.ts';
import { createUpdates } from '../window/updates.ts';
import { ActiveRules, type SkillIn } from './active-rules.ts';
import { type AgentKind, roleOf, startsSubagents } from './agent-kinds.ts';
import { openLog } from './session-log.ts';
import { type OwnState, type SubagentPlace, subagentRouter } from './subagent-router.ts';

export type SubagentConversationDeps = {
  config: Pick<Config, 'saveHistory' | 'maxTokens' | 'maxTurns' | 'summarizationThreshold'>;
  /** The conversation's own: a subagent is judged by it, and never more leniently. */
  router: RouterDeps;
  definitions(): readonly ToolDefinition[];
  surroundings(): Promise<Surroundings>;
  /** Hides secrets in what is about to be sent for the first time. */
  outgoing<T>(value: T): T;
  settings: Pick<Base, 'maxTokens' | 'temperature'>;
  /** Of the conversation; a subagent has the same, unless its definition names another one. */
  effort(): EffortChoice;
  models: Pick<Models, 'forSubagent' | 'backgroundModel'>;
  budget: Pick<Budget, 'takeCost' | 'keepRest'>;
  hooks: Pick<SessionHooks, 'subagentStart' | 'subagentWork'>;
  skillIn: SkillIn;
  /** Instructions in folders that a conversation visits. */
  notes(session: Session): ProjectInstructions['notesFor'];
};

/** A subagent that can be prompted. */
export type ActiveSubagent = OpenSubagent & OwnState & { kind: AgentKind; isBusy: boolean };

/** One task for a subagent, and where its events go. */
export type Assignment = {
  work: Delegation;
  /** The subagent's label, including those of its parents. */
  fullLabel: string;
  emit(event: AgentEvent): Promise<void>;
  signal: AbortSignal;
  /** Apply to its calls from the start. */
  rules: readonly PromptRules[];
  /** Absent if it may not start subagents. */
  delegate?: SubagentPlace['delegate'];
};

/** Runs one task of a subagent, with its own conversation, window and journal. */
export async function runSubagentConversation(
  deps: SubagentConversationDeps,
  subagent: ActiveSubagent,
  assignment: Assignment,
): Promise<Delegated> {
  const { work, signal, emit } = assignment;
  const { session, kind } = subagent;
  const costs: CallCosts = [];
  const model = await deps.models.forSubagent(
    { ...(kind.model !== undefined && { model: kind.model }), ...(kind.cheap && { cheap: true }) },
    { costs, emit: (event) => void emit(event) },
  );
  const name = `${model.choice.preset.name}/${model.choice.model}`;
  session.settings = { ...session.settings, model: name };
  const { controller, view } = await openConversation(deps, subagent, { ...assignment, model, costs });
  const totals = new SubagentTotals();
  controller.listen((event) => {
    totals.take(event);
    view.watch(event);
    if (event.type === 'notice') void emit(event);
  });
  try {
    const added = await deps.hooks.subagentStart(asHooked(subagent), signal);
    const prompt = [work.prompt, ...added].join('\n\n');
    const { reason, error } = await runSubagent(controller, prompt, signal);
    const { text, turns, calls, tokens, costUsd } = totals;
    const empty = text.trim() === '' ? 'It did not answer.' : null;
    const trouble = reason === 'done' ? empty : (error?.message ?? TROUBLES[reason]);
    return { id: session.id, text, trouble, model: name, turns, calls, tokens, costUsd };
  } finally {
    deps.budget.keepRest(costs);
    view.close();
    await controller.close();
  }
}

function asHooked({ session, kind }: ActiveSubagent): HookedAgent {
  return { session, type: kind.name };
}

const TROUBLES = {
  max_turns: 'It reached its turn limit.',
  max_tokens: 'Its answer was cut off at the output limit.',
  budget: 'A limit was reached.',
  refusal: 'The model declined to answer.',
  interrupted: 'It was interrupted.',
  error: 'It failed.',
} as const;

async function openConversation(
  deps: SubagentConversationDeps,
  subagent: ActiveSubagent,
  { model: reached, costs, ...assignment }: Assignment & { model: ConnectedModel; costs: CallCosts },
): Promise<{ controller: Controller; view: ConversationView }> {
  const { config, models, budget } = deps;
  const { session, unfinished, kind } = subagent;
  const { choice, provider } = reached;
  const { model, info } = choice;
  const vendor = choice.preset.name;
  const opened = { session, journal: subagent.journal, close: () => subagent.journal.close() };
  const log = openLog(config, opened, { provider: vendor, model });
  const writer = new SessionWriter({
    session,
    log: forwardingLog(log, assignment.emit, assignment.signal),
    events: new EventChannel<AgentEvent>(),
  });
  const { router, has } = subagentRouter(deps.router, {
    kind,
    own: subagent,
    session,
    label: assignment.fullLabel,
    images: info.abilities.images,
    notes: deps.notes(session),
    log: writer.callLog,
    active: new ActiveRules(assignment.rules),
    skillIn: deps.skillIn,
    ...(assignment.delegate && { delegate: assignment.delegate }),
  });
  const effort = kind.effort ?? deps.effort();
  const mayDelegate = assignment.delegate !== undefined;
  const output = outputLimits(config, info);
  const tools = () =>
    deps.definitions().filter(({ name }) => has(name) && (mayDelegate || !startsSubagents(name)));
  const epochs = new Epochs({
    session,
    writer,
    outgoing: deps.outgoing,
    reader: () => vendor,
    async build() {
      const surroundings = await deps.surroundings();
      return {
        reader: vendor,
        system: systemPrompt({ ...surroundings, role: roleOf(kind) }),
        tools: tools(),
        stated: statedBy(surroundings),
      };
    },
  });
  const view = new ConversationView({
    session,
    ready: Promise.resolve(),
    answering: () => ({ model, contextWindow: info.contextWindow, ...output }),
    threshold: config.summarizationThreshold,
    epochs,
    settings: () => ({
      model,
      cacheKey: cacheKeyOf(session),
      ...deps.settings,
      ...(effort !== 'default' && { effort }),
      ...(config.maxTokens !== undefined && { maxTokens: output.maxOutput }),
    }),
    backgroundModel: models.backgroundModel,
    todos: () => subagent.todos.list(),
    writer,
    isWatched: false,
  });
  const controller = new Controller({
    writer,
    unfinished,
    ready: Promise.resolve(),
    provider: vendor,
    model,
    contextWindow: info.contextWindow,
    updates: createUpdates({
      epochs,
      view,
      surroundings: deps.surroundings,
      takesToolChanges: () => takesToolChanges(choice),
    }),
    prepareRun: async () => ({
      provider: vendor,
      model,
      ask: (history, asked) => provider.stream(view.request(history), asked),
      ...answerCalls(router, repetitionLimit(choice)),
      remainingWork: deps.hooks.subagentWork(asHooked(subagent)),
      makeRoom: (cause, making) => view.makeRoom(cause, making),
      continueAfter,
      dropReasoning: () => epochs.dropReasoning(),
      costOf: () => budget.takeCost(costs),
      maxTurns: Math.min(kind.maxTurns ?? config.maxTurns, config.maxTurns),
    }),
  });
  return { controller, view };
}
