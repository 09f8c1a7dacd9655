import { z } from 'zod';
import type { SessionOptions } from '../../app/options.ts';
import { modesByStrictness } from '../../config/schema/schema.ts';
import { effortLevels } from '../../contract/request/effort.ts';
import { tiers } from '../../contract/request/tier.ts';

/** The flags that a session started from a command line may bring along. */
const optionsSchema = z
  .object({
    model: z.string(),
    account: z.string(),
    offline: z.boolean(),
    maxTurns: z.number(),
    budget: z.array(z.string()),
    mode: z.enum(modesByStrictness),
    allow: z.array(z.string()),
    deny: z.array(z.string()),
    addDir: z.array(z.string()),
    trust: z.boolean(),
    fallbackModel: z.string(),
    effort: z.enum([...effortLevels, 'default']),
    tier: z.enum(tiers),
    sandbox: z.enum(['strict', 'standard', 'permissive']),
    systemPrompt: z.string(),
    systemPromptFile: z.string(),
    appendSystemPrompt: z.string(),
    appendSystemPromptFile: z.string(),
    mcpConfig: z.array(z.string()),
    strictMcpConfig: z.boolean(),
    tools: z.array(z.string()),
    neverAsk: z.boolean(),
  })
  .partial();

/** In `_meta.aca` of `session/new`. */
const metaSchema = z.object({ aca: z.object({ options: optionsSchema.optional() }).optional() }).nullish();

/** Those that the server understands; the others concern a terminal. */
export function sessionOptions(options: Partial<SessionOptions>): Partial<SessionOptions> {
  return present(optionsSchema.parse(options));
}

export function optionsInMeta(meta: unknown): Partial<SessionOptions> {
  return present(metaSchema.parse(meta)?.aca?.options ?? {});
}

function present(options: z.infer<typeof optionsSchema>): Partial<SessionOptions> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
