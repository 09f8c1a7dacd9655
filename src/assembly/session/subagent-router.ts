import { Answers } from '../../agent/answers.ts';
import type { CallReporter, RouterDeps } from '../../agent/router-deps.ts';
import type { CallLog } from '../../agent/session-log.ts';
import type { Session } from '../../contract/session.ts';
import type { ToolContext } from '../../contract/tool.ts';
import type { ProjectInstructions } from '../window/project-instructions.ts';
import {
  type AgentKind,
  hasTool,
  isLimited,
  limitsOf,
  readOnlyContext,
  startsSubagents,
} from './agent-kinds.ts';
import { lastTodos, todoList } from './history-state.ts';
import { type SkillUse, withSkills } from './skill-router.ts';

/** Not shared with a subagent: files read, and the task list. */
export type OwnState = Pick<ToolContext, 'seen' | 'todos'>;

export function ownState({ messages }: Session): OwnState {
  return { seen: new Map(), todos: todoList(lastTodos(messages)) };
}

export type SubagentPlace = SkillUse & {
  kind: AgentKind;
  own: OwnState;
  session: Session;
  /** The name shown when the user is asked. */
  label: string;
  /** Whether its model supports images. */
  images: boolean;
  notes: ProjectInstructions['notesFor'];
  log: CallLog;
};

/**
 * The conversation's router, restricted to a subagent's tools, as given by `has`. A subagent that may not
 * start further ones still finds the tools for it: they explain why.
 */
export function subagentRouter(
  parent: RouterDeps,
  { kind, own, session, label, images, notes, log, ...use }: SubagentPlace,
): { router: RouterDeps; has(tool: string): boolean } {
  const { active, delegate } = use;
  const answers = new Answers(session.messages);
  const nameOf = (word: string) => parent.find(word)?.name;
  const has = (tool: string) => hasTool(kind, tool, nameOf);

  function contextFor(context: ToolContext, reporter: CallReporter): ToolContext {
    const { delegate: _delegate, planning: _planning, ...shared } = context;
    const narrowed: ToolContext = {
      ...shared,
      ...own,
      accepts: { images },
      ask: (question, signal) =>
        shared.ask({ ...question, question: `${label} asks: ${question.question}` }, signal),
      ...(delegate && { delegate: delegate(reporter, context.signal, active.inherited()) }),
    };
    return kind.readOnly ? readOnlyContext(narrowed) : narrowed;
  }

  return {
    has,
    router: withSkills(
      {
        ...parent,
        agent: { id: session.id, type: kind.name },
        find(name) {
          const tool = parent.find(name);
          return tool && has(tool.name) ? tool : undefined;
        },
        wasOffered: (name) => has(name) && parent.wasOffered?.(name) === true,
        toolNames: () =>
          parent.toolNames().filter((name) => has(name) && (delegate || !startsSubagents(name))),
        decide: (request, options) =>
          parent.decide(
            { ...request, agent: label, ...(isLimited(kind) && { limits: limitsOf(kind) }) },
            options,
          ),
        context: (signal, reporter, scope) => contextFor(parent.context(signal, reporter, scope), reporter),
        answerTo: (callId) => answers.get(callId),
        keepOutput: (callId, text) => parent.keepOutput(`${session.id}-${callId}`, text),
        notesFor: notes,
        log: {
          started: log.started,
          answered(message) {
            answers.add(message);
            return log.answered(message);
          },
        },
      },
      use,
    ),
  };
}
