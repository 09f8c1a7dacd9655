import { createHash } from 'node:crypto';
import type {
  ResponseCreateParamsStreaming,
  ResponseIncludable,
  ResponseInputContent,
  ResponseInputItem,
  ResponseReasoningItem,
  WebSearchTool,
} from 'openai/resources/responses/responses';
import * as z from 'zod';
import type { AssistantMessage, ImagePart, Message, TextPart } from '../../contract/message.ts';
import type { CompletionRequest } from '../../contract/provider.ts';
import { effortNow } from '../../contract/request/conversation-effort.ts';
import { fitEffort } from '../../contract/request/effort.ts';
import { parseJson } from '../../lib/text/json.ts';
import type { ProviderOptions } from '../options.ts';
import { summarySection } from '../summary.ts';
import { type WireNames, wireNames } from '../tool-names.ts';
import { resultText } from '../tool-results.ts';

/** Models of the vendor that take a length for their answers; the long default suits no terminal. */
const VERBOSE = /^gpt-[5-9]/;
const MIN_OUTPUT_TOKENS = 16;
const MAX_ID_LENGTH = 64;

/**
 * A thinking item as kept in `ThinkingPart.signature`. Its summary is there if it differs from one part with the
 * thought's text.
 */
const Proof = z.object({
  id: z.string().optional(),
  encrypted_content: z.string(),
  summary: z.array(z.object({ type: z.literal('summary_text'), text: z.string() })).optional(),
  content: z.array(z.object({ type: z.literal('reasoning_text'), text: z.string() })).optional(),
});

export function signatureOf({
  id,
  encrypted_content,
  summary = [],
  content = [],
}: z.infer<typeof Proof>): string {
  return JSON.stringify({
    ...(id && { id }),
    encrypted_content,
    ...((summary.length > 1 || content.length > 0) && { summary }),
    ...(content.length > 0 && { content }),
  });
}

/** This protocol has no stop sequences, so they are omitted. */
export type WireOptions = ProviderOptions & {
  /** Some accounts have no access to summaries of the model's thinking. */
  noSummaries?: boolean;
  /** Thinking from another account is rejected. */
  noThoughts?: boolean;
};

type Wire = { provider: string; model: string; names: WireNames; images: boolean; thoughts: boolean };

export function toWire(request: CompletionRequest, options: WireOptions): ResponseCreateParamsStreaming {
  const { model, system, tools = [], maxTokens, temperature, cacheKey, vendorSummary } = request;
  const info = options.infoOf(model);
  const { abilities, maxOutputTokens } = info;
  const effort = fitEffort(effortNow(request), info);
  const names = wireNames(tools);
  const summary = summarySection(request);
  const include: ResponseIncludable[] = [
    ...(abilities.thinking ? (['reasoning.encrypted_content'] as const) : []),
    ...(request.webSearch ? (['web_search_call.action.sources'] as const) : []),
  ];
  const wire: Wire = {
    provider: options.name,
    model,
    names,
    images: abilities.images,
    thoughts: !options.noThoughts,
  };

  return {
    model,
    stream: true,
    store: false,
    ...(system && { instructions: system }),
    input: [
      ...((vendorSummary?.provider === options.name ? vendorSummary.items : []) as ResponseInputItem[]),
      ...(summary === null ? [] : [{ role: 'developer' as const, content: summary }]),
      ...request.messages.flatMap((message) => messageToWire(message, wire)),
    ],
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function' as const,
        name: names.toWire(name),
        description,
        parameters,
        strict: false,
      })),
    }),
    ...(request.webSearch && { tools: [searchTool(request.webSearch)], tool_choice: 'required' as const }),
    ...(maxTokens !== undefined && {
      max_output_tokens: Math.max(MIN_OUTPUT_TOKENS, Math.min(maxTokens, maxOutputTokens)),
    }),
    ...(temperature !== undefined && !abilities.thinking && { temperature }),
    ...(abilities.thinking && {
      reasoning: {
        ...(effort && { effort }),
        ...(options.noSummaries ? {} : { summary: 'auto' as const }),
      },
    }),
    ...(options.name === 'openai' && VERBOSE.test(model) && { text: { verbosity: 'low' as const } }),
    ...(include.length > 0 && { include }),
    ...(cacheKey && { prompt_cache_key: cacheKey }),
    ...(options.tier && {
      service_tier: options.tier as NonNullable<ResponseCreateParamsStreaming['service_tier']>,
    }),
  };
}

/** The vendor cannot exclude domains; the caller drops them from the results. */
function searchTool({ allowedDomains }: NonNullable<CompletionRequest['webSearch']>): WebSearchTool {
  const filters = allowedDomains.length > 0 && { filters: { allowed_domains: [...allowedDomains] } };
  return { type: 'web_search', search_context_size: 'low', ...filters };
}

function messageToWire(message: Message, wire: Wire): ResponseInputItem[] {
  if (message.role === 'assistant') return assistantToWire(message, wire);
  if (message.role === 'user') return [{ role: 'user', content: contentToWire(message.content, wire) }];
  const pictures = message.content.some((part) => part.type === 'image');
  return [
    {
      type: 'function_call_output',
      call_id: idToWire(message.callId),
      output: pictures ? contentToWire(message.content, wire) : resultText(message) || '(no output)',
    },
  ];
}

function contentToWire(content: readonly (TextPart | ImagePart)[], { images }: Wire): ResponseInputContent[] {
  return content.map((part) => {
    if (part.type === 'text') return { type: 'input_text', text: part.text };
    if (!images) return { type: 'input_text', text: '[Image omitted: this model does not support images.]' };
    return {
      type: 'input_image',
      detail: 'auto',
      image_url: `data:${part.mediaType};base64,${part.data}`,
    };
  });
}

/**
 * Thinking goes back only to the model that produced it, and only together with its output: alone, it is
 * rejected.
 */
function assistantToWire(message: AssistantMessage, wire: Wire): ResponseInputItem[] {
  const isVendors = message.provider === wire.provider;
  const own = wire.thoughts && isVendors && message.model === wire.model;
  const items: ResponseInputItem[] = [];
  let thoughts: ResponseInputItem[] = [];
  let sealed = false;
  for (const part of message.content) {
    if (part.type === 'thinking') {
      const proof = own ? proofIn(part.signature) : undefined;
      if (!proof) continue;
      const summary = part.text ? [{ type: 'summary_text' as const, text: part.text }] : [];
      // The id is missing in the types of what compatible servers send.
      thoughts.push({ type: 'reasoning', summary, ...proof } as ResponseReasoningItem);
      sealed = true;
      continue;
    }
    if (part.type === 'text' && part.text === '') continue;
    items.push(
      ...thoughts,
      part.type === 'text'
        ? textToWire(part, { labeled: isVendors, named: sealed })
        : {
            type: 'function_call',
            call_id: idToWire(part.id),
            name: wire.names.toWire(part.name),
            arguments: JSON.stringify(part.input ?? {}),
          },
    );
    thoughts = [];
  }
  return items;
}

/**
 * `labeled`: with the vendor's own label. `named`: with the item's id, which the vendor accepts only after the thinking
 * that led to it.
 */
function textToWire(
  { text, phase, signature: id }: TextPart,
  { labeled, named }: { labeled: boolean; named: boolean },
): ResponseInputItem {
  const label = labeled && phase ? { phase } : {};
  if (!named || id === undefined) return { role: 'assistant', content: text, ...label };
  const content = [{ type: 'output_text' as const, text, annotations: [] }];
  return { type: 'message', id, role: 'assistant', status: 'completed', content, ...label };
}

function proofIn(signature: string | undefined): z.infer<typeof Proof> | undefined {
  return Proof.safeParse(parseJson(signature ?? '')).data;
}

/** A session may contain longer ids from another vendor; the mapping is deterministic. */
function idToWire(id: string): string {
  return id.length <= MAX_ID_LENGTH ? id : createHash('sha256').update(id).digest('hex');
}
