import path from 'node:path';
import * as z from 'zod';
import { effortLevels } from '../../contract/request/effort.ts';
import { updateFile } from '../../lib/files/file-update.ts';
import { readRegularText } from '../../lib/files/regular-file.ts';
import { parseJson } from '../../lib/text/json.ts';
import type { PublishedFacts } from './published-facts.ts';

/** What a vendor answered, and when. */
type Answer = { at: string; baseUrl: string; models: Record<string, PublishedFacts> };

let file: string | undefined;
let loaded: Record<string, Answer> | undefined;

/** From now on, what vendors publish is kept in this data root. It is read when first needed. */
export function keepPublishedIn(root: string): void {
  const named = path.join(root, 'vendor-models.json');
  if (named === file) return;
  file = named;
  loaded = undefined;
}

export function publishedFacts(provider: string, id: string): PublishedFacts | undefined {
  const models = answers()[provider]?.models;
  return models && Object.hasOwn(models, id) ? models[id] : undefined;
}

/** How long ago the vendor was asked at this address; null if never. */
export function ageOfPublished(provider: string, baseUrl: string, now: Date): number | null {
  const known = answers()[provider];
  return known?.baseUrl === baseUrl ? Math.max(0, now.getTime() - Date.parse(known.at)) : null;
}

/** An empty answer counts too: the vendor is not asked again at each start. */
export async function savePublished(provider: string, answer: Answer): Promise<void> {
  if (file === undefined) return;
  const target = file;
  await updateFile(target, async (write) => {
    const all = { ...read(target), [provider]: answer };
    await write(JSON.stringify(all));
    loaded = all;
  });
}

function answers(): Record<string, Answer> {
  loaded ??= file === undefined ? {} : read(file);
  return loaded;
}

/** Empty if it is missing or damaged: the vendors are asked again. */
function read(from: string): Record<string, Answer> {
  try {
    return answersSchema().safeParse(parseJson(readRegularText(from))).data ?? {};
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== undefined) return {};
    throw error;
  }
}

function answersSchema() {
  const amount = z.number().min(0);
  const facts = z.object({
    window: amount.exactOptional(),
    output: amount.exactOptional(),
    usd: z.tuple([amount, amount, amount.exactOptional(), amount.exactOptional()]).exactOptional(),
    effort: z.object({ levels: z.array(z.enum(effortLevels)) }).exactOptional(),
    can: z
      .object({
        tools: z.boolean().exactOptional(),
        images: z.boolean().exactOptional(),
        thinking: z.boolean().exactOptional(),
      })
      .exactOptional(),
  });
  const answer = z.object({ at: z.iso.datetime(), baseUrl: z.string(), models: z.record(z.string(), facts) });
  return z.record(z.string(), answer);
}
