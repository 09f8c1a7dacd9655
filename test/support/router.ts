import * as z from 'zod';
import type { RouterDeps } from '../../src/agent/router-deps.ts';
import { runTools } from '../../src/agent/tool-router.ts';
import type { AgentEvent } from '../../src/contract/event.ts';
import type { ToolCallPart, ToolMessage } from '../../src/contract/message.ts';
import { defineTool, ok, type Tool, type ToolContext } from '../../src/contract/tool.ts';

const input = z.object({ target: z.string(), ms: z.number().default(0) });
const running: string[] = [];
/** The most calls that ran at once. */
export const parallel = { most: 0 };

/** A tool that answers with its name and target, after `ms`. */
export function toolOf(name: string, kind: 'read' | 'write' | 'execute', changes: Partial<Tool> = {}): Tool {
  return {
    ...defineTool({
      name,
      description: '',
      input: () => input,
      title: ({ target }) => `${name} ${target}`,
      access: ({ target }) => [{ kind, target }],
      async run({ target, ms }) {
        running.push(target);
        parallel.most = Math.max(parallel.most, running.length);
        await new Promise((resolve) => setTimeout(resolve, ms));
        running.splice(running.indexOf(target), 1);
        return ok(`${name} ${target}`);
      },
    }),
    ...changes,
  };
}

/** Look reads, Change writes, Run executes. */
export const tools = [toolOf('Look', 'read'), toolOf('Change', 'write'), toolOf('Run', 'execute')];

/** A router that allows every call. */
export function depsOf(changes: Partial<RouterDeps> & { tools?: Tool[] } = {}): RouterDeps {
  const list = changes.tools ?? tools;
  return {
    find: (name) => list.find((tool) => tool.name === name),
    toolNames: () => list.map((tool) => tool.name),
    decide: async () => ({ verdict: 'allow', by: 'test', because: '' }),
    isReadOnly: () => false,
    answerTo: () => undefined,
    keepOutput: async () => null,
    log: { started: async () => undefined, answered: async () => undefined },
    // The tools of these tests need no capabilities.
    context: (signal, { progress }) => ({ signal, progress }) as unknown as ToolContext,
    ...changes,
  };
}

export function call(name: string, callInput: unknown, id = name): ToolCallPart {
  return { type: 'tool_call', id, name, input: callInput };
}

/** Runs these calls; `texts` are their answers. */
export async function play(parts: ToolCallPart[], deps = depsOf(), signal = new AbortController().signal) {
  const events: AgentEvent[] = [];
  for await (const event of runTools(parts, deps, signal)) events.push(event);
  const answers = events.flatMap((event) => (event.type === 'message' ? [event.message as ToolMessage] : []));
  return {
    events,
    answers,
    texts: answers.map((answer) => (answer.content[0]?.type === 'text' ? answer.content[0].text : '')),
  };
}
