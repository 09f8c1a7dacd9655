import * as z from 'zod';
import { UserError } from '../../contract/errors.ts';
import { effortLevels } from '../../contract/request/effort.ts';
import type { ModelTable } from './facts.ts';

const HINT = 'Nothing was changed. Ask its publisher for a corrected file.';
const NAME = /^[\w.:/@-]{1,200}$/;

/** Also refuses what could mislead: unknown vendors, and aliases of models that are not in the table. */
export function parseTable(text: string, providers: readonly string[]): ModelTable {
  const parsed = tableSchema().safeParse(jsonOf(text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new UserError(`This is no model table: ${issue?.path.join('.')}: ${issue?.message}.`, HINT);
  }
  const table: ModelTable = parsed.data;
  const stranger = Object.keys(table.models).find((name) => !providers.includes(name));
  if (stranger !== undefined) throw new UserError(`The table has an unknown provider: ${stranger}.`, HINT);
  for (const [alias, target] of Object.entries(table.aliases)) {
    const [provider = '', ...rest] = target.split('/');
    if (table.models[provider]?.[rest.join('/')] === undefined)
      throw new UserError(`The alias ${alias} points to ${target}, which is not in the table.`, HINT);
  }
  return table;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function tableSchema() {
  const tokens = z.number().int().min(1).max(1_000_000_000);
  const dollars = z.number().min(0).max(100_000);
  const more = dollars.exactOptional();
  const usd = z.tuple([dollars, dollars, more, more, more]);
  const prices = { usd: usd.nullable(), long: z.strictObject({ above: tokens, usd }).exactOptional() };
  const level = z.enum(effortLevels);
  const hour = z.number().int().min(0).max(24);
  const facts = z.strictObject({
    window: tokens,
    output: tokens,
    ...prices,
    can: z.strictObject({ tools: z.boolean(), images: z.boolean(), thinking: z.boolean() }),
    effort: z
      .strictObject({
        levels: z.array(level),
        default: level.exactOptional(),
        perMessage: z.literal(true).exactOptional(),
      })
      .exactOptional(),
    changes: z.array(z.strictObject({ from: z.iso.date(), ...prices })).exactOptional(),
    offPeak: z
      .strictObject({ factor: z.number().min(0).max(1), peak: z.array(z.tuple([hour, hour])) })
      .exactOptional(),
    retired: z.iso.date().exactOptional(),
  });
  const name = z.string().regex(NAME);
  return z.strictObject({
    date: z.iso.date(),
    sources: z.record(name, z.url({ protocol: /^https$/ })),
    models: z.record(name, z.record(name, facts)),
    aliases: z.record(name, name),
  });
}
