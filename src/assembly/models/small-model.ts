import type { Config } from '../../config/schema/schema.ts';
import type { ToolDefinition } from '../../contract/request/tool-definition.ts';
import { applyPatch } from '../../tools/apply-patch.ts';
import { minimalTools } from '../../tools/minimal.ts';
import { toDefinition } from '../../tools/registry.ts';
import { webFetch } from '../../tools/web-fetch.ts';
import type { Choice } from './choose-model.ts';

/** In a smaller window, all tools and the full prompt would take a third or more. */
const SMALL_WINDOW = 20_000;
/** The share of a small window for project instructions, in characters per token of the window. */
const INSTRUCTIONS_SHARE = 0.5;

type Wanted = Pick<Config, 'tools' | 'offline'>;

/**
 * Whether the model gets few tools and a short prompt. An embedded model takes minutes to read a long one.
 */
export function isSmall(
  { preset, info }: Pick<Choice, 'preset' | 'info'>,
  { tools }: Pick<Wanted, 'tools'>,
): boolean {
  return (
    tools === 'minimal' ||
    (tools === 'auto' &&
      preset.local === true &&
      (info.contextWindow < SMALL_WINDOW || preset.protocol === 'embedded'))
  );
}

/** How often the same call may get the same result. Other models may have reasons, such as polling. */
export function repetitionLimit({ preset }: Pick<Choice, 'preset'>): { alike: number } {
  return { alike: preset.local === true ? 3 : 10 };
}

/** OpenAI trains its models to change files with patches. */
const PATCHING = /(^|\/)(gpt-(4\.1|[5-9])|o[34]\b|codex)/;

/** The tools offered to this model. The others still work if it calls them. */
export function offeredTools(
  all: readonly ToolDefinition[],
  choice: Pick<Choice, 'preset' | 'info'>,
  wanted: Wanted,
): readonly ToolDefinition[] {
  const here = wanted.offline ? all.filter(({ name }) => name !== webFetch.name) : all;
  if (isSmall(choice, wanted)) return minimalTools(here);
  const patches = PATCHING.test(choice.info.id) && here.some(({ name }) => name === 'Edit');
  return patches ? [...here, toDefinition(applyPatch)] : here;
}

/**
 * As much of the instructions as leaves space for work; omitted files are listed, so that the model can read
 * them.
 */
export function fitInstructions<Kept extends { file: string; text: string }>(
  instructions: readonly Kept[],
  contextWindow: number,
): Kept[] {
  let room = Math.floor(contextWindow * INSTRUCTIONS_SHARE);
  return instructions.map((instruction) => {
    const { file, text } = instruction;
    const fits = text.length <= room;
    const kept = fits ? text : `${text.slice(0, room)}\n[cut; the rest is in ${file}]`;
    room = Math.max(0, room - text.length);
    return { ...instruction, text: kept };
  });
}
