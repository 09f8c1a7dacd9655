import * as z from 'zod';
import type { ThinkMode } from '../text-tools/thinking.ts';
import type { RequestFormat } from '../wrappers/adapt.ts';

/** What was measured for one model on one server, and the resulting settings. */
export const profileSchema = () =>
  z.object({
    server: z.string(),
    model: z.string(),
    /** Of the measured model; if it changes, the model is measured again. */
    digest: z.string().exactOptional(),
    measuredAt: z.string(),
    /** `probe`: measured on request. `run`: learned from an error response during normal use. */
    by: z.enum(['probe', 'run']),
    toolMode: z.enum(['native', 'xml', 'fence', 'grammar']),
    /** Whether any way to call a tool worked. */
    callsTools: z.boolean(),
    parallelCalls: z.boolean(),
    resultRole: z.enum(['tool', 'user']),
    systemRole: z.boolean(),
    streaming: z.boolean(),
    /** Where thinking arrives: in a separate field, in tags, before a bare closing tag, in channels. */
    thinking: z.enum(['none', 'field', 'tags', 'bare', 'channels']),
    jsonMode: z.boolean(),
    contextWindow: z.number().int().min(1).exactOptional(),
    /** The window that the server reported then; if it reports another one, `contextWindow` is outdated. */
    reportedWindow: z.number().int().min(1).exactOptional(),
    tokensPerSecond: z.number().exactOptional(),
    firstTokenMs: z.number().exactOptional(),
  });

export type ModelProfile = z.output<ReturnType<typeof profileSchema>>;

/** What was learned during use about a model that was never probed. */
export function learnedProfile(
  { server, model, digest }: Pick<ModelProfile, 'server' | 'model' | 'digest'>,
  format: RequestFormat,
): ModelProfile {
  return {
    server,
    model,
    ...(digest !== undefined && { digest }),
    measuredAt: new Date().toISOString(),
    by: 'run',
    ...format,
    callsTools: true,
    parallelCalls: false,
    streaming: true,
    thinking: 'none',
    jsonMode: false,
  };
}

/** If the opening tag never arrives, everything from the start is thinking. */
export function thinkModeOf({ thinking }: Pick<ModelProfile, 'thinking'>): ThinkMode | undefined {
  return thinking === 'bare' ? 'bare' : undefined;
}

/**
 * Whether another model has this name now. Without a digest from the server, the profile counts as current.
 */
export function isStale({ digest }: Pick<ModelProfile, 'digest'>, now: string | undefined): boolean {
  return digest !== undefined && now !== undefined && digest !== now;
}
