import { setMaxListeners } from 'node:events';
import { Controller } from '../../agent/controller.ts';
import { failedAnswer, openCallsOf } from '../../agent/history.ts';
import { runSubagent, SubagentTally, tellingLog } from '../../agent/subagent.ts';
import { type CallVoice, type RouterDeps, runTools } from '../../agent/tool-router.ts';
import type { AgentDefinition } from '../../config/agents.ts';
import type { Config } from '../../config/schema/schema.ts';
import { type Surroundings, systemPrompt } from '../../context/system-prompt.ts';
import type { AgentEvent } from '../../contract/event.ts';
import { textOf } from '../../contract/message.ts';
import type { ToolDefinition } from '../../contract/provider.ts';
import type { Session } from '../../contract/session.ts';
import type { Delegated, Delegation, ToolContext } from '../../contract/tool.ts';
import { Slots } from '../../lib/async/slots.ts';
import { cacheKeyOf } from '../../providers/models/cache-key.ts';
import type { OpenSession } from '../../session/store.ts';
import { type OpenSubagent, subagentId } from '../../session/subagent-files.ts';
import type { Budget, Purse } from '../models/budget.ts';
import type { ModelLines } from '../models/connect-models.ts';
import { outputLimits } from '../models/request-settings.ts';
import { type Base, createConversationView } from '../window/conversation-view.ts';
import type { ProjectInstructions } from '../window/project-instructions.ts';
import { type AgentKind, handsOn, kindNamed, roleOf } from './agent-kinds.ts';
import { forgetful, sessionLog } from './session-log.ts';
import { type Own, ownThings, subagentRouter } from './subagent-router.ts';

/** The agent a person talks to is 0, those it starts are 1, those they start are 2 and start none. */
const MAX_DEPTH = 2;
const LABEL_LENGTH = 60;

export type SubagentDeps = {
  config: Pick<Config, 'saveHistory' | 'maxTokens' | 'maxTurns' | 'summarizationThreshold' | 'subagents'>;
  opened: Pick<OpenSession, 'session' | 'unfinished' | 'subagents'>;
  agents: readonly AgentDefinition[];
  /** The conversation's own: a subagent's judges by it, and never more mildly. */
  router: RouterDeps;
  definitions(): readonly ToolDefinition[];
  surroundings(): Promise<Surroundings>;
  settings: Pick<Base, 'maxTokens' | 'temperature' | 'effort'>;
  models: Pick<ModelLines, 'forSubagent' | 'helper'>;
  budget: Pick<Budget, 'takeCost' | 'keepRest'>;
  /** What the folders say that a conversation is led to. */
  notes(session: Session): ProjectInstructions['notesFor'];
};

/** Who starts a subagent, and where what happens in it is told. */
type Starter = {
  depth: number;
  /** The subagent that starts it; absent for the conversation itself. */
  parent?: string;
  /** For eyes, with a blank behind it: the subagents above it. */
  above: string;
  callId: string;
  tell(event: AgentEvent): Promise<void>;
  signal: AbortSignal;
};

export type Subagents = {
  /** The hand for one call of the conversation itself. */
  delegate(voice: Pick<CallVoice, 'callId' | 'tell'>, signal: AbortSignal): ToolContext['delegate'];
  /** Answers calls that a process left open while a subagent worked for them: with what it had said. */
  closeOpen(): Promise<void>;
  /** Ends those at work; what they have said and done so far is kept. */
  close(): Promise<void>;
};

type Living = OpenSubagent & Own & { kind: AgentKind; isBusy: boolean };

/** Agents that work for another one, each with a conversation, a window and a journal of its own. */
export function createSubagents(deps: SubagentDeps): Subagents {
  const { config, opened, budget, models } = deps;
  const files = opened.subagents;
  const living = new Map<string, Living>();
  const atWork = new Set<Promise<unknown>>();
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  // Of each depth its own: one that waits for those it started would else keep them waiting.
  const slots = Array.from({ length: MAX_DEPTH + 1 }, () => new Slots(config.subagents.parallel));

  async function find(work: Delegation, starter: Starter): Promise<Living | string> {
    const kind = kindNamed(work.agent, deps.agents);
    if (typeof kind === 'string') return kind;
    const { callId, parent } = starter;
    if (work.goOn === undefined) {
      const origin = { callId, agent: kind.name, task: work.task, ...(parent !== undefined && { parent }) };
      const { workingDirectory } = opened.session;
      const fresh = files.create(origin, { workingDirectory, settings: { model: '' } });
      return remember({ ...fresh, ...ownThings(fresh.session), kind, isBusy: false });
    }
    const known = living.get(work.goOn) ?? (await reopen(work.goOn, kind));
    if (!known)
      return `There is no subagent ${work.goOn} in this session. Start a new one without "continue".`;
    // Judged by its name: another one's name must not lead to it.
    if (known.kind.name !== kind.name) return `${work.goOn} is ${known.kind.name}, not ${kind.name}.`;
    return known.isBusy ? `${work.goOn} is still at work. Wait for its answer.` : known;
  }

  async function reopen(id: string, wanted: AgentKind): Promise<Living | null> {
    const found = await files.open(id);
    const kind = kindNamed(found?.session.subagent?.agent ?? wanted.name, deps.agents);
    if (!found || typeof kind === 'string') return null;
    await closeOpenCalls(found.session, found.unfinished, id);
    return remember({ ...found, ...ownThings(found.session), kind, isBusy: false });
  }

  function remember(one: Living): Living {
    living.set(one.session.id, one);
    return one;
  }

  async function run(work: Delegation, starter: Starter): Promise<Delegated | string> {
    const found = await find(work, starter);
    if (typeof found === 'string') return found;
    found.isBusy = true;
    const signal = AbortSignal.any([starter.signal, ending.signal]);
    setMaxListeners(0, signal);
    const working = (slots[starter.depth] ?? new Slots(1)).use(signal, () =>
      drive(found, work, { ...starter, signal }),
    );
    const ended = working.then(
      () => undefined,
      () => undefined,
    );
    atWork.add(ended);
    try {
      return await working;
    } finally {
      found.isBusy = false;
      atWork.delete(ended);
    }
  }

  async function drive(one: Living, work: Delegation, starter: Starter): Promise<Delegated> {
    const { session, journal, kind } = one;
    const { signal, callId } = starter;
    const purse: Purse = [];
    const label = labelOf(kind.name, work.task);
    const tell = (event: AgentEvent) => starter.tell({ type: 'subagent', callId, agent: label, event });
    const { choice, provider } = await models.forSubagent(
      { ...(kind.model !== undefined && { model: kind.model }), ...(kind.cheap && { cheap: true }) },
      { purse, tell: (event) => void tell(event) },
    );
    const { model, info } = choice;
    const vendor = choice.preset.name;
    const name = `${vendor}/${model}`;
    session.settings = { ...session.settings, model: name };

    const depth = starter.depth + 1;
    const canHandOn = depth < MAX_DEPTH;
    const { router, has } = subagentRouter(deps.router, {
      kind,
      own: one,
      session,
      label: `${starter.above}${label}`,
      images: info.abilities.images,
      notes: deps.notes(session),
      log: () => controller.callLog,
      ...(canHandOn && {
        delegate: (voice: CallVoice, inner: AbortSignal) => (next: Delegation) =>
          run(next, {
            depth,
            parent: session.id,
            above: `${starter.above}${label} › `,
            callId: voice.callId,
            tell: voice.tell,
            signal: inner,
          }),
      }),
    });
    const output = outputLimits(config, info);
    const base: Base = {
      model,
      system: systemPrompt({ ...(await deps.surroundings()), role: roleOf(kind) }),
      tools: deps.definitions().filter((tool) => has(tool.name) && (canHandOn || !handsOn(tool.name))),
      cacheKey: cacheKeyOf(session),
      ...deps.settings,
      ...(config.maxTokens !== undefined && { maxTokens: output.maxOutput }),
    };
    const view = createConversationView({
      session,
      ready: Promise.resolve(),
      answering: () => ({ model, contextWindow: info.contextWindow, ...output }),
      threshold: config.summarizationThreshold,
      base: async () => base,
      helper: models.helper,
      todos: () => one.todos.list(),
      controller: () => controller,
      isWatched: false,
    });
    const log = config.saveHistory
      ? sessionLog({ session, journal, close: () => journal.close() }, { provider: vendor, model })
      : forgetful;
    const controller = new Controller({
      session,
      unfinished: one.unfinished,
      ready: Promise.resolve(),
      log: tellingLog(log, tell, signal),
      provider: vendor,
      model,
      contextWindow: info.contextWindow,
      prepareRun: async () => ({
        provider: vendor,
        model,
        ask: (history, asked) => provider.stream(view.request(base, history), asked),
        act: (calls, acting) => runTools(calls, router, acting),
        makeRoom: (cause, making) => view.makeRoom(cause, making, base),
        costOf: () => budget.takeCost(purse),
        maxTurns: config.maxTurns,
      }),
    });
    const tally = new SubagentTally();
    controller.listen((event) => {
      tally.take(event);
      view.watch(event);
      if (event.type === 'notice') void tell(event);
    });
    try {
      const { reason, error } = await runSubagent(controller, work.prompt, signal);
      const { text, turns, calls, tokens, costUsd } = tally;
      const empty = text.trim() === '' ? 'It gave no answer.' : null;
      const trouble = reason === 'done' ? empty : (error?.message ?? TROUBLES[reason]);
      return { id: session.id, text, trouble, model: name, turns, calls, tokens, costUsd };
    } finally {
      budget.keepRest(purse);
      view.close();
      await controller.close();
    }
  }

  async function closeOpenCalls(
    session: Session,
    { started, answered }: OpenSession['unfinished'],
    parent?: string,
  ): Promise<void> {
    for (const call of openCallsOf(session.messages)) {
      if (!handsOn(call.name) || !started.has(call.id) || answered.has(call.id)) continue;
      const origin = { callId: call.id, ...(parent !== undefined && { parent }) };
      const found = await files.open(subagentId(origin));
      const last = found?.session.messages.findLast(({ role }) => role === 'assistant');
      if (found)
        answered.set(
          call.id,
          failedAnswer(
            call,
            stoppedWords(found.session.id, last ? textOf(last) : ''),
            new Date().toISOString(),
          ),
        );
    }
  }

  return {
    delegate: (voice, signal) => (work) => run(work, { depth: 0, above: '', ...voice, signal }),
    closeOpen: () => closeOpenCalls(opened.session, opened.unfinished),
    async close() {
      ending.abort(new DOMException('The session ends.', 'AbortError'));
      await Promise.all(atWork);
    },
  };
}

const TROUBLES = {
  max_turns: 'It took as many turns as it may.',
  max_tokens: 'Its answer was cut off at the output limit.',
  budget: 'A limit was reached.',
  refusal: 'The model declined to answer.',
  interrupted: 'It was interrupted.',
  error: 'It failed.',
} as const;

function stoppedWords(id: string, said: string): string {
  return [
    'The assistant stopped while this subagent was at work. What it had done until then stands; check before repeating it.',
    said.trim() === '' ? 'It had said nothing yet.' : `It had said:\n${said}`,
    `[subagent ${id}: pass it as "continue" to let it go on]`,
  ].join('\n');
}

function labelOf(agent: string, task: string): string {
  const label = `${agent}: ${task}`.replaceAll(/\s+/g, ' ').trim();
  return label.length > LABEL_LENGTH ? `${label.slice(0, LABEL_LENGTH - 1)}…` : label;
}
