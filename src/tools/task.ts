import * as z from 'zod';
import { defineTool, type Tool } from '../contract/tool.ts';
import { delegateCall } from './delegate.ts';
import { adaptTask } from './dialects/adapt-planning.ts';

/** An available subagent, as described to the model. */
export type AgentChoice = { name: string; description: string };

export const GENERAL = 'general';

export function createTask(agents: readonly AgentChoice[] = []): Tool {
  const listed = agents.map(({ name, description }) => `${name}: ${description.replaceAll(/\s+/g, ' ')}`);
  return defineTool({
    name: 'Task',
    aliases: ['agent', 'subagent', 'dispatch_agent', 'delegate', 'new_task', 'spawn_agent'],
    argumentAliases: {
      prompt: ['instructions', 'task', 'message', 'query'],
      agent: ['subagent_type', 'agent_type', 'agent_name', 'type', 'subagent'],
      description: ['title', 'name', 'task_name'],
      continue: ['task_id', 'resume', 'agent_id', 'session_id'],
    },
    adapt: adaptTask,
    description: [
      'Give a piece of work to a subagent with its own context. It does not see this conversation: include everything it needs.',
      'It may do what you may do. Several in one reply run in parallel. You get its last answer; the user does not see it.',
      ...(listed.length > 0 ? [`Subagents besides ${GENERAL}:`, ...listed] : []),
    ].join('\n'),
    input: () =>
      z.object({
        description: z.string().min(1).describe('The work in three to five words, for the user'),
        prompt: z.string().min(1).describe('The work in full, and what to answer with'),
        agent: z.string().min(1).default(GENERAL).describe('Which subagent'),
        isolation: z
          .literal('worktree')
          .optional()
          .describe('It works in its own copy of the project; its changes are merged when it has finished'),
        continue: z.string().min(1).optional().describe('Id of an earlier subagent, to ask it more'),
      }),

    title: ({ agent, description }) => `Task ${agent}: ${description}`,
    access: ({ agent }) => [{ kind: 'delegate', target: agent }],

    run: ({ agent, description, prompt, isolation, continue: resumeId }, context) =>
      delegateCall(
        {
          agent,
          task: description,
          prompt,
          ...(isolation && { isolation }),
          ...(resumeId !== undefined && { resumeId }),
        },
        context,
      ),
  });
}
