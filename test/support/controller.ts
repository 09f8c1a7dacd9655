import { Controller, type ControllerDeps } from '../../src/agent/controller.ts';
import { failedAnswer, type Unfinished } from '../../src/agent/history.ts';
import type { SessionLog } from '../../src/agent/session-log.ts';
import { SessionWriter } from '../../src/agent/session-writer.ts';
import type { AgentEvent } from '../../src/contract/event.ts';
import type { Message } from '../../src/contract/message.ts';
import type { Session } from '../../src/contract/session.ts';
import { EventChannel } from '../../src/lib/async/event-channel.ts';
import type { ScriptedModel } from './scripted.ts';

const nothing: Unfinished = { started: new Set(), answered: new Map() };

/** A controller with a scripted model, whose tool calls all fail. */
export function controllerOf(
  model: ScriptedModel,
  {
    messages = [],
    log = {},
    unfinished = nothing,
    news = [],
    beforePrompt,
    run = {},
  }: {
    messages?: Message[];
    log?: Partial<SessionLog>;
    unfinished?: Unfinished;
    news?: string[];
    beforePrompt?: NonNullable<ControllerDeps['beforePrompt']>;
    run?: Partial<Awaited<ReturnType<ControllerDeps['prepareRun']>>>;
  } = {},
) {
  const saved: Message[] = [];
  const session: Session = {
    id: 'session',
    workingDirectory: '/project',
    startedAt: '',
    messages,
    permissions: [],
    settings: { model: 'm' },
  };
  const controller = new Controller({
    writer: new SessionWriter({
      session,
      events: new EventChannel(),
      log: {
        keep: async () => undefined,
        message: async (message) => void saved.push(message),
        watch: async () => undefined,
        started: async () => undefined,
        answered: async () => undefined,
        grant: async () => undefined,
        ungrant: async () => undefined,
        source: async () => undefined,
        view: async () => undefined,
        close: async () => undefined,
        ...log,
      },
    }),
    unfinished,
    ready: Promise.resolve(),
    provider: 'scripted',
    model: 'm',
    contextWindow: 1000,
    updates: async () => {
      const text = news.shift();
      return text === undefined ? [] : [{ type: 'text', text }];
    },
    ...(beforePrompt && { beforePrompt }),
    prepareRun: async () => ({
      provider: 'scripted',
      model: 'm',
      ask: (history, signal) => model.stream({ model: 'm', system: '', messages: history }, signal),
      async *act(parts) {
        for (const part of parts) yield { type: 'message', message: failedAnswer(part, 'no', '') };
      },
      async *makeRoom() {
        yield* [];
        return false;
      },
      costOf: () => null,
      maxTurns: 10,
      ...run,
    }),
  });
  const events: AgentEvent[] = [];
  controller.listen((event) => events.push(event));
  return { controller, events, saved, session };
}
