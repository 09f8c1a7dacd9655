import { randomUUID } from 'node:crypto';
import type { RouterDeps } from '../../agent/router-deps.ts';
import type { SessionWriter } from '../../agent/session-writer.ts';
import { runTools } from '../../agent/tool-router.ts';
import type { Display } from '../../contract/display.ts';
import type { AgentEvent } from '../../contract/event.ts';
import { type ImagePart, type ToolCall, type ToolMessage, textOf } from '../../contract/message.ts';
import type { PromptRules } from '../../contract/permission.ts';
import type { ToolDefinition } from '../../contract/request/tool-definition.ts';
import type { UndoStore } from '../../session/undo/undo-store.ts';

/** `refused`: not allowed to run. */
export type UserCall = {
  success: boolean;
  text: string;
  refused: boolean;
  images: ImagePart[];
  summary?: ToolMessage['summary'] | undefined;
  display?: Display | undefined;
};

export type UserCallDeps = {
  /** For a call that is part of a skill or command with these rules. */
  routerFor(rules: readonly PromptRules[]): RouterDeps;
  writer: Pick<SessionWriter, 'session' | 'record'>;
  undo: Pick<UndoStore, 'beginRun'>;
  /** Tools for callers other than the model. */
  definitions: readonly ToolDefinition[];
  /** Aborted when the session ends. */
  signal: AbortSignal;
};

export type UserCalls = {
  /** A call on behalf of the user; `rules` are those of the command that it is part of. */
  call(name: string, input: unknown, rules?: PromptRules): Promise<UserCall>;
  toolbox: {
    definitions(): readonly ToolDefinition[];
    run(call: ToolCall, signal: AbortSignal): AsyncGenerator<AgentEvent>;
  };
};

/** Not part of the conversation, so not recorded in its journal. */
const unwritten: RouterDeps['log'] = { started: async () => undefined, answered: async () => undefined };

/** Calls not made by the model: judged, approved and run like the model's. */
export function createUserCalls({ routerFor, writer, undo, definitions, signal }: UserCallDeps): UserCalls {
  const beginRun = (prompt: string) =>
    undo.beginRun({ at: new Date().toISOString(), prompt, message: writer.session.messages.length });
  return {
    async call(name, input, rules) {
      const router = routerFor(rules ? [rules] : []);
      beginRun(name);
      const call = { type: 'tool_call' as const, id: `user-${randomUUID()}`, name, input };
      let because = '';
      const outcome: UserCall = { success: false, text: '', refused: false, images: [] };
      for await (const event of runTools([call], { ...router, log: unwritten }, signal)) {
        if (event.type === 'judged') {
          outcome.refused = event.verdict === 'deny';
          because = event.because;
        }
        if (event.type === 'tool_end') outcome.display = event.display;
        if (event.type !== 'message') await writer.record(event);
        else if (event.message.role === 'tool') {
          outcome.success = event.message.success;
          outcome.text = textOf(event.message);
          outcome.images = event.message.content.filter((part) => part.type === 'image');
          outcome.summary = event.message.summary;
        }
      }
      // What is said to the model is not for the user.
      if (outcome.refused) outcome.text = because;
      return outcome;
    },
    toolbox: {
      definitions: () => definitions,
      run(call, signal) {
        beginRun(call.name);
        return runTools([{ type: 'tool_call', ...call }], routerFor([]), signal);
      },
    },
  };
}
