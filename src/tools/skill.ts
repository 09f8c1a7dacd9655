import * as z from 'zod';
import { defineTool, fail, ok, type Tool } from '../contract/tool.ts';
import { didYouMean } from '../lib/text/nearest.ts';

type Skill = { name: string; folder: string; body(): string };

/** Gives the model the text of a skill; the system prompt lists the available ones. */
export function createSkill(skills: readonly Skill[]): Tool {
  return defineTool({
    name: 'Skill',
    aliases: ['use_skill', 'load_skill'],
    description:
      'Read a skill before doing work that it is for. Your instructions list the skills and what each is for.',
    input: () => z.object({ name: z.string().min(1).describe('Name of the skill') }),

    title: ({ name }) => `Skill ${name}`,
    access: () => [],

    async run({ name }) {
      const skill = skills.find((one) => one.name === name.trim().toLowerCase());
      const names = skills.map((one) => one.name);
      if (!skill)
        return fail(`There is no skill ${name}.${didYouMean(name, names)} Available: ${names.join(', ')}.`);
      return ok(`Files it mentions are in ${skill.folder}.\n\n${skill.body()}`, {
        metadata: { skill: skill.name },
      });
    },
  });
}
