import * as z from 'zod';
import { defineTool, fail, ok, type Tool } from '../contract/tool.ts';
import { isObject } from '../lib/text/json.ts';
import { didYouMean } from '../lib/text/nearest.ts';
import { delegateCall } from './delegate.ts';

type Skill = { name: string; folder: string; agent?: string; body(typed: string): string };

/** `find` returns the skill that a call with this input uses. */
export type SkillTool<Known extends Skill> = { tool: Tool; find(input: unknown): Known | undefined };

/** Gives the model the text of a skill; the system prompt lists the available ones. */
export function createSkill<Known extends Skill>(skills: readonly Known[]): SkillTool<Known> {
  const named = (name: string) => skills.find((one) => one.name === name.trim().toLowerCase());
  const tool = defineTool({
    name: 'Skill',
    aliases: ['use_skill', 'load_skill'],
    description:
      'Read a skill before doing work that it is for. Your instructions list the skills and what each is for.',
    input: () =>
      z.object({
        name: z.string().min(1).describe('Name of the skill'),
        arguments: z.string().optional().describe('What to use it for; needed if a subagent does its work'),
      }),

    title: ({ name }) => `Skill ${name}`,
    access: ({ name }) => {
      const agent = named(name)?.agent;
      return agent === undefined ? [] : [{ kind: 'delegate', target: agent }];
    },

    async run({ name, arguments: wanted = '' }, context) {
      const skill = named(name);
      const names = skills.map((one) => one.name);
      if (!skill)
        return fail(`There is no skill ${name}.${didYouMean(name, names)} Available: ${names.join(', ')}.`);
      const prompt = `Files it mentions are in ${skill.folder}.\n\n${skill.body(wanted)}`;
      if (skill.agent !== undefined) {
        return delegateCall({ agent: skill.agent, task: `skill ${skill.name}`, prompt }, context);
      }
      return ok(prompt, { metadata: { skill: skill.name } });
    },
  });
  return {
    tool,
    find(input) {
      const parsed = tool.input.safeParse(input);
      return parsed.success && isObject(parsed.data) ? named(String(parsed.data.name)) : undefined;
    },
  };
}
