import type { HttpClient } from '../../lib/network/http-client.ts';
import { parseJson } from '../../lib/text/json.ts';
import type { Preset } from '../presets.ts';
import { isListed } from './models.ts';
import { parsePublished } from './published-facts.ts';
import { ageOfPublished, savePublished } from './published-store.ts';

type Vendor = Pick<Preset, 'name' | 'protocol' | 'tableOf'>;

export type VendorQuestion = {
  preset: Vendor;
  baseUrl: string;
  apiKey: string | undefined;
  http: HttpClient;
  signal: AbortSignal;
};

const DAY_MS = 86_400_000;

/** Asks a vendor for its models and keeps the answer. Resolves with their number; 0 if it does not say. */
export async function askVendor({ preset, baseUrl, apiKey, http, signal }: VendorQuestion): Promise<number> {
  const { url, headers } = requestFor(preset, { baseUrl, apiKey });
  const models = parsePublished(await answerFrom({ http, url, headers, signal }));
  const at = new Date().toISOString();
  await savePublished(preset.tableOf ?? preset.name, { at, baseUrl, models });
  return Object.keys(models).length;
}

/**
 * What is known about a model that the table does not have: a vendor that was never asked is waited for, within the limit
 * of the signal; an answer of more than a day ago is renewed in the background.
 */
export async function learnModel(model: string, question: VendorQuestion): Promise<void> {
  const { preset, baseUrl } = question;
  const owner = preset.tableOf ?? preset.name;
  if (isListed(owner, model)) return;
  const age = ageOfPublished(owner, baseUrl, new Date());
  if (age !== null && age < DAY_MS) return;
  // A model works without: an answer that cannot be had or kept is not missed.
  const asked = askVendor(question).catch(() => 0);
  if (age === null) await asked;
}

function requestFor(
  { protocol }: Vendor,
  { baseUrl, apiKey }: Pick<VendorQuestion, 'baseUrl' | 'apiKey'>,
): { url: string; headers: Record<string, string> } {
  const base = baseUrl.replace(/\/+$/, '');
  const root = base.replace(/\/v1\w*$/, '');
  if (protocol === 'anthropic')
    return {
      url: `${root}/v1/models?limit=1000`,
      headers: { 'anthropic-version': '2023-06-01', ...(apiKey !== undefined && { 'x-api-key': apiKey }) },
    };
  if (protocol === 'google')
    return {
      url: `${root}/v1beta/models?pageSize=1000`,
      headers: apiKey === undefined ? {} : { 'x-goog-api-key': apiKey },
    };
  return {
    url: `${base}/models`,
    headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
  };
}

type Request = { http: HttpClient; url: string; headers: Record<string, string>; signal: AbortSignal };

/** Undefined if there is no usable answer, for any reason. */
async function answerFrom({ http, ...request }: Request): Promise<unknown> {
  try {
    const { status, text } = await http(request);
    return status === 200 ? parseJson(await text()) : undefined;
  } catch {
    // Any failure means that the vendor does not say.
    return undefined;
  }
}
