import * as z from 'zod';
import type { Display } from '../contract/display.ts';
import type { Access } from '../contract/permission.ts';
import { fail, ok, type ToolResult } from '../contract/tool.ts';
import { plainCopy, thrownMessage } from './plain-copy.ts';

const diff = z.object({ path: z.string(), patch: z.string(), added: z.number(), removed: z.number() });

const display: z.ZodType<Display> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string() }),
  diff.extend({ kind: z.literal('diff') }),
  z.object({
    kind: z.literal('command'),
    command: z.string(),
    exitCode: z.number().nullable(),
    output: z.string(),
  }),
  z.object({ kind: z.literal('files'), paths: z.array(z.string()), total: z.number() }),
  z.object({
    kind: z.literal('links'),
    links: z.array(z.object({ title: z.string(), url: z.string(), snippet: z.string() })),
  }),
  z.object({ kind: z.literal('diffs'), diffs: z.array(diff) }),
  z.object({
    kind: z.literal('todos'),
    items: z.array(z.object({ text: z.string(), status: z.enum(['pending', 'in_progress', 'done']) })),
  }),
]);

const image = z.object({ type: z.literal('image'), mediaType: z.string(), data: z.string() });

/** Invalid extras for display are dropped; the result itself must be valid. */
const extras = {
  display: display.optional().catch(undefined),
  metadata: z.record(z.string(), z.unknown()).optional().catch(undefined),
};

const result = z.discriminatedUnion('success', [
  z.object({
    success: z.literal(true),
    output: z.string(),
    images: z.array(image).optional().catch(undefined),
    ...extras,
  }),
  z.object({ success: z.literal(false), error: z.string(), ...extras }),
]);

const accesses = z.array(
  z.object({
    kind: z.enum(['read', 'write', 'execute', 'fetch', 'delegate']),
    target: z.string(),
    unconfined: z.literal(true).optional(),
    itself: z.literal(true).optional(),
    looks: z.literal(true).optional(),
    free: z.literal(true).optional(),
  }),
);

/**
 * A plugin tool's return value as a result for the router. Anything invalid is a failure that the model sees.
 */
export function toolResultOf(name: string, returned: unknown): ToolResult {
  try {
    if (typeof returned === 'string') return ok(String(plainCopy(returned)));
    const parsed = result.safeParse(plainCopy(returned ?? null));
    if (parsed.success) return defined(parsed.data) as ToolResult;
  } catch (error) {
    return fail(`${name} returned no valid result: ${thrownMessage(error)}.`);
  }
  return fail(`${name} returned no valid result: it must be a string, or { success } with output or error.`);
}

/** Null if invalid. */
export function displayOf(returned: unknown): Display | null {
  return display.safeParse(plainCopy(returned)).data ?? null;
}

/** Null if invalid. */
export function accessesOf(returned: unknown): Access[] | null {
  const { data } = accesses.safeParse(plainCopy(returned));
  return data ? (data.map(defined) as Access[]) : null;
}

function defined(table: object): object {
  return Object.fromEntries(Object.entries(table).filter(([, value]) => value !== undefined));
}
