import * as z from 'zod';
import type { ThinkMode } from '../text-tools/thinking.ts';
import type { Manners } from '../wrappers/adapt.ts';

/** What was measured of one model on one server, and how it is talked to because of it. */
export const profileSchema = () =>
  z.object({
    server: z.string(),
    model: z.string(),
    /** Of the model that was measured; another one behind the same name is measured again. */
    digest: z.string().exactOptional(),
    measuredAt: z.string(),
    /** `probe`: measured on purpose. `run`: learned from a refusal in the middle of work. */
    by: z.enum(['probe', 'run']),
    toolMode: z.enum(['native', 'xml', 'fence', 'grammar']),
    /** Whether any way of calling a tool worked. */
    callsTools: z.boolean(),
    parallelCalls: z.boolean(),
    resultRole: z.enum(['tool', 'user']),
    systemRole: z.boolean(),
    streaming: z.boolean(),
    /** Where thoughts come: in a field of their own, in tags, before a bare closing tag, in channels. */
    thinking: z.enum(['none', 'field', 'tags', 'bare', 'channels']),
    jsonMode: z.boolean(),
    contextWindow: z.number().int().min(1).exactOptional(),
    tokensPerSecond: z.number().exactOptional(),
    firstTokenMs: z.number().exactOptional(),
  });

export type ModelProfile = z.output<ReturnType<typeof profileSchema>>;

/** What a run taught of a model nobody has probed. */
export function learnedProfile(
  { server, model, digest }: Pick<ModelProfile, 'server' | 'model' | 'digest'>,
  manners: Manners,
): ModelProfile {
  return {
    server,
    model,
    ...(digest !== undefined && { digest }),
    measuredAt: new Date().toISOString(),
    by: 'run',
    ...manners,
    callsTools: true,
    parallelCalls: false,
    streaming: true,
    thinking: 'none',
    jsonMode: false,
  };
}

/** Where the opening tag never comes, all is known to be thought from the first word on. */
export function thinkModeOf({ thinking }: Pick<ModelProfile, 'thinking'>): ThinkMode | undefined {
  return thinking === 'bare' ? 'bare' : undefined;
}

/** Whether another model stands behind the name now. Servers that tell no digest are believed. */
export function isStale({ digest }: Pick<ModelProfile, 'digest'>, now: string | undefined): boolean {
  return digest !== undefined && now !== undefined && digest !== now;
}
