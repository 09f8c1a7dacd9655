import * as z from 'zod';
import { defineTool } from '../contract/tool.ts';
import { delegateCall } from './delegate.ts';
import { adaptTask } from './dialects/adapt-planning.ts';

export const EXPLORE = 'Explore';

export const explore = defineTool({
  name: EXPLORE,
  aliases: ['explore_codebase', 'codebase_investigator', 'scout'],
  argumentAliases: {
    prompt: ['objective', 'question', 'query', 'task', 'instructions'],
    description: ['title', 'name'],
    continue: ['task_id', 'resume', 'agent_id'],
  },
  adapt: adaptTask,
  description:
    'Let a subagent explore the code and answer a question about it, so that what it reads does not fill your context. ' +
    'It can read and search, but not change anything. Several in one reply run in parallel. Include everything it needs to know.',
  input: () =>
    z.object({
      description: z.string().min(1).describe('The question in three to five words, for the user'),
      prompt: z.string().min(1).describe('What to find out, and what to answer with'),
      continue: z.string().min(1).optional().describe('Id of an earlier subagent, to ask it more'),
    }),

  title: ({ description }) => `Explore: ${description}`,
  access: () => [{ kind: 'delegate', target: EXPLORE, looks: true }],

  run: ({ description, prompt, continue: resumeId }, context) =>
    delegateCall(
      { agent: EXPLORE, task: description, prompt, ...(resumeId !== undefined && { resumeId }) },
      context,
    ),
});
