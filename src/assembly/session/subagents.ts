import { setMaxListeners } from 'node:events';
import { failedAnswer, openCallsOf } from '../../agent/history.ts';
import type { AgentDefinition } from '../../config/agents.ts';
import type { Config } from '../../config/schema/schema.ts';
import type { AgentEvent } from '../../contract/event.ts';
import { textOf } from '../../contract/message.ts';
import type { PromptRules } from '../../contract/permission.ts';
import type { Session } from '../../contract/session.ts';
import type { Delegated, Delegation } from '../../contract/tool.ts';
import { Slots } from '../../lib/async/slots.ts';
import { peek } from '../../lib/files/peek.ts';
import { newWorktree } from '../../sandbox/worktrees/folder.ts';
import type { OpenSession } from '../../session/store.ts';
import { type OpenSubagent, subagentId } from '../../session/subagent-files.ts';
import type { Isolation } from '../isolation/isolation.ts';
import type { StartSubagent } from './active-rules.ts';
import { type AgentKind, isLimited, kindNamed, limitsOf, startsSubagents } from './agent-kinds.ts';
import {
  type ActiveSubagent,
  type Assignment,
  runSubagentConversation,
  type SubagentConversationDeps,
} from './subagent-conversation.ts';
import { ownState } from './subagent-router.ts';

/** The main agent is 0, its subagents are 1, theirs are 2 and cannot start any. */
const MAX_DEPTH = 2;
const LABEL_LENGTH = 60;

export type SubagentDeps = SubagentConversationDeps & {
  config: Pick<Config, 'subagents'>;
  opened: Pick<OpenSession, 'session' | 'unfinished' | 'subagents'>;
  agents: readonly AgentDefinition[];
  isolation: Isolation;
  cwd: string;
};

/** What starts a subagent, and where its events go. */
type Starter = {
  depth: number;
  /** The subagent that starts it; absent for the conversation itself. */
  parent?: string;
  /** Label prefix of its parents for display, with a trailing space. */
  above: string;
  callId: string;
  emit(event: AgentEvent): Promise<void>;
  signal: AbortSignal;
  rules: readonly PromptRules[];
};

/** Agents that work for another one, each with its own conversation, window and journal. */
export class Subagents {
  readonly #deps: SubagentDeps;
  readonly #active = new Map<string, ActiveSubagent>();
  readonly #running = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();
  /** One pool per depth: otherwise a parent waiting for its subagents would block them. */
  readonly #slots: readonly Slots[];

  constructor(deps: SubagentDeps) {
    this.#deps = deps;
    setMaxListeners(0, this.#closing.signal);
    this.#slots = Array.from({ length: MAX_DEPTH + 1 }, () => new Slots(deps.config.subagents.parallel));
  }

  /** For calls of the conversation itself. */
  readonly delegate: StartSubagent =
    (reporter, signal, rules = []) =>
    (work) =>
      this.#run(work, { depth: 0, above: '', ...reporter, signal, rules });

  /** Answers calls that an earlier process left open while a subagent worked: with its output so far. */
  closeOpen(): Promise<void> {
    const { session, unfinished } = this.#deps.opened;
    return this.#closeOpenCalls(session, unfinished);
  }

  /** Ends running subagents; their output so far is saved. */
  async close(): Promise<void> {
    this.#closing.abort(new DOMException('The session is closing.', 'AbortError'));
    await Promise.all(this.#running);
  }

  async #run(work: Delegation, starter: Starter): Promise<Delegated | string> {
    const found = await this.#find(work, starter);
    if (typeof found === 'string') return found;
    found.isBusy = true;
    const signal = AbortSignal.any([starter.signal, this.#closing.signal]);
    setMaxListeners(0, signal);
    const working = (this.#slots[starter.depth] ?? new Slots(1)).use(signal, () =>
      this.#work(found, work, { ...starter, signal }),
    );
    const ended = working.then(
      () => undefined,
      () => undefined,
    );
    this.#running.add(ended);
    try {
      return await working;
    } finally {
      found.isBusy = false;
      this.#running.delete(ended);
    }
  }

  #work(subagent: ActiveSubagent, work: Delegation, starter: Starter): Promise<Delegated | string> {
    const { signal, callId, rules } = starter;
    const label = labelOf(subagent.kind.name, work.task);
    const fullLabel = `${starter.above}${label}`;
    const depth = starter.depth + 1;
    const delegate: StartSubagent =
      ({ callId, emit }, inner, passed = []) =>
      (next) =>
        this.#run(next, {
          depth,
          parent: subagent.session.id,
          above: `${fullLabel} › `,
          callId,
          emit,
          signal: inner,
          rules: passed,
        });
    const { worktree } = subagent.session.subagent ?? {};
    const assignment = {
      work,
      fullLabel,
      emit: (event: AgentEvent) => starter.emit({ type: 'subagent', callId, agent: label, event }),
      signal,
      rules,
    };
    if (worktree !== undefined) return this.#workApart(worktree, subagent, { ...assignment, callId });
    return runSubagentConversation(this.#deps, subagent, {
      ...assignment,
      // Its limits would not apply to subagents of its own.
      ...(depth < MAX_DEPTH && !isLimited(subagent.kind) && { delegate }),
    });
  }

  /** In a copy of the project. Subagents of its own would not work there, so it has none. */
  async #workApart(
    at: string,
    subagent: ActiveSubagent,
    { callId, ...assignment }: Assignment & { callId: string },
  ): Promise<Delegated | string> {
    const { isolation, surroundings, notes } = this.#deps;
    const { work, signal, emit, fullLabel } = assignment;
    const { kind, session } = subagent;
    const apart = await isolation.open(at, signal);
    if (typeof apart === 'string') return apart;
    const { worktree, router, definitions, mode } = apart;
    let done: Delegated | undefined;
    try {
      const inCopy = {
        router,
        definitions,
        surroundings: async () => ({
          ...(await surroundings()),
          cwd: worktree.cwd,
          folders: [],
          mode: mode.get(),
        }),
        notes: () => apart.notes(notes(session)),
      };
      done = await runSubagentConversation({ ...this.#deps, ...inCopy }, subagent, assignment);
    } finally {
      await apart.close();
      if (done?.trouble !== null) {
        const kept = await isolation.keepUnfinished(worktree);
        if (done) done = { ...done, merge: kept };
      }
    }
    if (done.trouble !== null) return done;
    const limits = isLimited(kind) ? { limits: limitsOf(kind) } : {};
    const request = {
      worktree,
      label: fullLabel,
      task: work.task,
      reporter: { callId, emit },
      signal,
      ...limits,
    };
    return { ...done, merge: await isolation.merge(request) };
  }

  /** The subagent for a task, or an error message for the model. */
  async #find(work: Delegation, { callId, parent }: Starter): Promise<ActiveSubagent | string> {
    const { opened, agents } = this.#deps;
    const kind = kindNamed(work.agent, agents);
    if (typeof kind === 'string') return kind;
    if (work.resumeId === undefined) {
      const { workingDirectory, id } = opened.session;
      const isApart = !kind.readOnly && (kind.isolation ?? work.isolation) !== undefined;
      const known = { callId, ...(parent !== undefined && { parent }) };
      const origin = {
        ...known,
        agent: kind.name,
        task: work.task,
        ...(isApart && { worktree: newWorktree(this.#deps.cwd, `${id.slice(0, 8)}-${subagentId(known)}`) }),
      };
      return this.#add(opened.subagents.create(origin, { workingDirectory, settings: { model: '' } }), kind);
    }
    const known = this.#active.get(work.resumeId) ?? (await this.#reopen(work.resumeId, kind));
    if (!known) return `No subagent ${work.resumeId} in this session. Omit "continue" to start a new one.`;
    // Permission rules go by name: resuming under another name must not reach it.
    if (known.kind.name !== kind.name) return `${work.resumeId} is ${known.kind.name}, not ${kind.name}.`;
    return known.isBusy ? `${work.resumeId} is still working. Wait for its answer.` : known;
  }

  async #reopen(id: string, wanted: AgentKind): Promise<ActiveSubagent | null> {
    const found = await this.#deps.opened.subagents.open(id);
    const kind = kindNamed(found?.session.subagent?.agent ?? wanted.name, this.#deps.agents);
    if (!found || typeof kind === 'string') return null;
    await this.#closeOpenCalls(found.session, found.unfinished, id);
    return this.#add(found, kind);
  }

  #add(opened: OpenSubagent, kind: AgentKind): ActiveSubagent {
    const subagent = { ...opened, ...ownState(opened.session), kind, isBusy: false };
    this.#active.set(opened.session.id, subagent);
    return subagent;
  }

  async #closeOpenCalls(
    session: Session,
    { started, answered }: OpenSession['unfinished'],
    parent?: string,
  ): Promise<void> {
    for (const call of openCallsOf(session.messages)) {
      if (!startsSubagents(call.name) || !started.has(call.id) || answered.has(call.id)) continue;
      const origin = { callId: call.id, ...(parent !== undefined && { parent }) };
      const found = await this.#deps.opened.subagents.open(subagentId(origin));
      if (!found) continue;
      const last = found.session.messages.findLast(({ role }) => role === 'assistant');
      const text = stoppedText(found.session, last ? textOf(last) : '');
      answered.set(call.id, failedAnswer(call, text, new Date().toISOString()));
    }
  }
}

function stoppedText({ id, subagent }: Session, said: string): string {
  const { worktree } = subagent ?? {};
  const where = worktree !== undefined && peek.folder(worktree) ? ` in ${worktree}, and not merged` : '';
  return [
    `The assistant stopped while this subagent was working. Its changes so far are kept${where}; check before repeating anything.`,
    said.trim() === '' ? 'It had not written anything yet.' : `Its output so far:\n${said}`,
    `[subagent ${id}: pass it as "continue" to resume it]`,
  ].join('\n');
}

function labelOf(agent: string, task: string): string {
  const label = `${agent}: ${task}`.replaceAll(/\s+/g, ' ').trim();
  return label.length > LABEL_LENGTH ? `${label.slice(0, LABEL_LENGTH - 1)}…` : label;
}
