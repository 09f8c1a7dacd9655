import type { Head, Refusal } from '../protocol.ts';
import type { Route } from '../routes.ts';
import { anthropicRules } from './anthropic.ts';
import { missingKey } from './api-key.ts';
import { chatCompletionsRules } from './chat-completions.ts';
import { googleRules } from './google.ts';
import { NOT_YET } from './not-yet.ts';
import { ollamaRules } from './ollama.ts';
import { responsesRules } from './responses.ts';
import type { Rule, VendorRequest } from './rule.ts';
import { vendorOf } from './vendor-of.ts';
import { VENDORS } from './vendors.ts';

/** What a vendor answers worse than it could, without an error. */
export type Degradation = { vendor: string; rule: string; detail: string };

export type Judgement = { refusal?: Refusal; degradations: Degradation[] };

/** What the vendor would reject first: the key, the model, then the request itself; else what it degrades. */
export function judge(route: Route, { head, request }: { head: Head; request: VendorRequest }): Judgement {
  const { settled, model } = request;
  const accepted = { degradations: [] };
  if (settled.lenient) return accepted;
  const keyless = settled.keyless ? undefined : missingKey(route.protocol.name, head);
  if (keyless) return { refusal: keyless, degradations: [] };
  if (route.type === 'aside' && !route.counts) return accepted;
  if (route.type === 'model' && settled.models && model !== '' && !settled.models.includes(model))
    return { refusal: { status: 404, message: notFound(route, model) }, degradations: [] };

  const followed = settled.enforce === 'all' ? new Set<string>() : NOT_YET;
  const judgement = judgeBy(rulesFor(request), request, followed);
  if (judgement.refusal?.message.includes('bound to a different conversation'))
    request.sent.refusedThinking = true;
  return judgement;
}

/** Goes through the rules in order. */
export function judgeBy(
  rules: readonly Rule[],
  request: VendorRequest,
  skipped: ReadonlySet<string> = new Set(),
): Judgement {
  const degradations: Degradation[] = [];
  for (const { rule, check } of rules) {
    if (skipped.has(rule)) continue;
    for (const found of check(request)) {
      if (typeof found === 'string') return { refusal: { status: 400, message: found }, degradations: [] };
      if ('status' in found) return { refusal: found, degradations: [] };
      degradations.push({ vendor: vendorOf(request), rule, detail: found.degraded });
    }
  }
  return { degradations };
}

/** The rules of all vendors and formats. */
export const allRules: readonly Rule[] = [
  ...anthropicRules,
  ...chatCompletionsRules,
  ...responsesRules,
  ...googleRules,
  ...ollamaRules,
  ...Object.values(VENDORS).flat(),
];

function rulesFor(request: VendorRequest): readonly Rule[] {
  const ofVendor = VENDORS[vendorOf(request)];
  switch (request.protocol) {
    case 'anthropic':
      return [...anthropicRules, ...ofVendor];
    case 'openai-chat':
      return [...chatCompletionsRules, ...ofVendor];
    case 'openai-responses':
      return [...responsesRules, ...ofVendor];
    case 'google':
      return googleRules;
    case 'ollama':
      return ollamaRules;
    default:
      return request.protocol satisfies never;
  }
}

function notFound({ protocol }: Route, model: string): string {
  switch (protocol.name) {
    case 'anthropic':
      return `model: ${model}`;
    case 'google':
      return `models/${model} is not found for API version v1beta, or is not supported for generateContent.`;
    case 'ollama':
      return `model '${model}' not found`;
    default:
      return `The model \`${model}\` does not exist or you do not have access to it.`;
  }
}
