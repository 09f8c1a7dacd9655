import type {
  Content,
  FinishReason,
  FunctionDeclaration,
  GenerateContentConfig,
  GenerateContentResponse,
  GenerateContentResponseUsageMetadata,
  GoogleSearch,
  GroundingMetadata,
  Part,
  ThinkingConfig,
  ThinkingLevel,
} from '@google/genai/web';
import { ProviderError } from '../../contract/errors.ts';
import {
  type AssistantMessage,
  type ImagePart,
  isOwnCallId,
  namesOfCalls,
  type StopReason,
  type TextPart,
  type ToolMessage,
  textOf,
  toolCallsOf,
  type Usage,
} from '../../contract/message.ts';
import type { CompletionRequest, ModelInfo, ProviderEvent } from '../../contract/provider.ts';
import { effortNow } from '../../contract/request/conversation-effort.ts';
import { type Effort, fitEffort } from '../../contract/request/effort.ts';
import { isObject } from '../../lib/text/json.ts';
import type { ProviderOptions } from '../options.ts';
import { summarySection } from '../summary.ts';
import { type WireNames, wireNames } from '../tool-names.ts';

const MAX_OUTPUT_TOKENS = 65_536;
const BUDGET: Partial<Record<Effort, number>> = { none: 0, low: 2_048, medium: 8_192, high: 24_576 };
const LEVEL: Partial<Record<Effort, Thinking['thinkingLevel']>> = {
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
};
/** The vendor's placeholder for the missing signature of a call that another model made. */
const UNSIGNED = 'skip_thought_signature_validator';

/** `rejected`: signatures that the vendor did not accept. */
type WireOptions = Pick<ProviderOptions, 'name' | 'infoOf' | 'tier'> & { rejected?: ReadonlySet<string> };

/** The API's request body; the SDK keeps all settings in one object and sorts them on every request. */
export type WireBody = {
  contents: Content[];
  systemInstruction?: Content;
  serviceTier?: string;
  tools?: ({ functionDeclarations: FunctionDeclaration[] } | { googleSearch: GoogleSearch })[];
  generationConfig: Pick<GenerateContentConfig, 'maxOutputTokens' | 'temperature' | 'stopSequences'> & {
    thinkingConfig?: Thinking;
  };
};

type Thinking = Omit<ThinkingConfig, 'thinkingLevel'> & { thinkingLevel?: `${ThinkingLevel}` };

export function toWire(request: CompletionRequest, options: WireOptions): WireBody {
  const info = options.infoOf(request.model);
  const names = wireNames(request.tools ?? []);
  const thinkingConfig = thinkingFor(request, info);
  const system = systemTexts(request).map((text) => ({ text }));
  return {
    contents: toContents(request, options, names),
    ...(options.tier && { serviceTier: options.tier }),
    ...(system.length === 0 ? {} : { systemInstruction: { role: 'user', parts: system } }),
    ...(request.tools?.length ? { tools: [{ functionDeclarations: toDeclarations(request, names) }] } : {}),
    // The vendor takes no domains; the caller drops unwanted ones from the results.
    ...(request.webSearch ? { tools: [{ googleSearch: {} }] } : {}),
    generationConfig: {
      maxOutputTokens: request.maxTokens ?? Math.min(info.maxOutputTokens, MAX_OUTPUT_TOKENS),
      ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
      ...(request.stopSequences?.length ? { stopSequences: [...request.stopSequences] } : {}),
      ...(thinkingConfig ? { thinkingConfig } : {}),
    },
  };
}

/** The summary is a separate part, after everything that stays the same. */
export function systemTexts(request: CompletionRequest): string[] {
  return [request.system, summarySection(request) ?? ''].filter((text) => text !== '');
}

function toDeclarations(request: CompletionRequest, names: WireNames): FunctionDeclaration[] {
  return (request.tools ?? []).map(({ name, description, parameters }) => ({
    name: names.toWire(name),
    description,
    parametersJsonSchema: parameters,
  }));
}

/** Models before 3 take a token budget for thinking, later ones a level. */
function thinkingFor(request: CompletionRequest, info: ModelInfo): Thinking | undefined {
  if (!info.abilities.thinking) return undefined;
  const effort = fitEffort(effortNow(request), info);
  if (effort === undefined) return { includeThoughts: true };
  const thinkingBudget = isBefore3(request.model) ? BUDGET[effort] : undefined;
  if (thinkingBudget !== undefined) return { includeThoughts: thinkingBudget > 0, thinkingBudget };
  const thinkingLevel = LEVEL[effort];
  return { includeThoughts: true, ...(thinkingLevel && { thinkingLevel }) };
}

const isBefore3 = (model: string): boolean => /gemini-[12]\b/.test(model);

/** Every Gemini from 3 on thinks, including ones missing from the model table. */
function signsCalls(model: string, { abilities }: ModelInfo): boolean {
  return !isBefore3(model) && (abilities.thinking || /gemini-\d/.test(model));
}

/** Results for a turn's calls form one content, in the order of the calls; the user's text forms the next. */
function toContents(request: CompletionRequest, options: WireOptions, names: WireNames): Content[] {
  const { images } = options.infoOf(request.model).abilities;
  const rejected = options.rejected ?? new Set();
  const wire: Wire = {
    ...{ names, rejected, called: namesOfCalls(request.messages) },
    vendorIds: vendorIdsIn(request, options),
  };
  const contents: Content[] = [];
  let open: { calls: string[]; answers: ToolMessage[]; parts: Part[] } = {
    calls: [],
    answers: [],
    parts: [],
  };
  const close = () => {
    const answers = open.answers.toSorted(
      (a, b) => open.calls.indexOf(a.callId) - open.calls.indexOf(b.callId),
    );
    if (answers.length > 0)
      contents.push({ role: 'user', parts: answers.map((answer) => toResponse(answer, wire)) });
    const pictures = answers.flatMap((answer) =>
      plainParts(
        answer.content.filter((part) => part.type === 'image'),
        images,
      ),
    );
    if (pictures.length + open.parts.length > 0)
      contents.push({ role: 'user', parts: [...pictures, ...open.parts] });
    open = { calls: [], answers: [], parts: [] };
  };
  for (const message of request.messages) {
    if (message.role === 'tool') open.answers.push(message);
    if (message.role === 'user') open.parts.push(...plainParts(message.content, images));
    if (message.role !== 'assistant') continue;

    const parts = modelParts(message, wire, {
      own: message.provider === options.name && message.model === request.model,
      signed: signsCalls(request.model, options.infoOf(request.model)),
    });
    if (parts.length === 0) continue;
    close();
    contents.push({ role: 'model', parts });
    open.calls = toolCallsOf(message).map((call) => call.id);
  }
  close();
  return contents;
}

/**
 * `vendorIds`: call ids issued by the vendor. They are sent back, to match results with calls, and so are the names of the
 * calls, `called`.
 */
type Wire = {
  names: WireNames;
  called: ReadonlyMap<string, string>;
  vendorIds: ReadonlySet<string>;
  rejected: ReadonlySet<string>;
};

/** The vendor does not recognize ids that we or other vendors generated. */
function vendorIdsIn({ messages }: CompletionRequest, { name }: WireOptions): Set<string> {
  const calls = messages.flatMap((message) =>
    message.role === 'assistant' && message.provider === name ? toolCallsOf(message) : [],
  );
  return new Set(calls.map(({ id }) => id).filter((id) => !isOwnCallId(id)));
}

/** `own`: written by this same model. `signed`: the first call of a turn is rejected without a signature. */
function modelParts(
  message: AssistantMessage,
  { names, vendorIds, rejected }: Wire,
  { own, signed }: { own: boolean; signed: boolean },
): Part[] {
  const validIn = ({ signature }: { signature?: string }) =>
    own && signature !== undefined && !rejected.has(signature) ? signature : undefined;
  let firstCall = true;
  return message.content.flatMap((part): Part[] => {
    const valid = validIn(part);
    if (part.type === 'text')
      return part.text === '' && valid === undefined ? [] : [{ text: part.text, ...signedWith(valid) }];
    if (part.type === 'thinking')
      return valid === undefined ? [] : [{ text: part.text, thought: true, ...signedWith(valid) }];
    const signature = valid ?? (signed && firstCall ? UNSIGNED : undefined);
    firstCall = false;
    return [
      {
        functionCall: {
          ...(vendorIds.has(part.id) && { id: part.id }),
          name: names.toWire(part.name),
          args: objectOf(part.input),
        },
        ...signedWith(signature),
      },
    ];
  });
}

function signedWith(signature: string | undefined): { thoughtSignature?: string } {
  return signature === undefined ? {} : { thoughtSignature: signature };
}

function toResponse(answer: ToolMessage, { names, called, vendorIds }: Wire): Part {
  const text = textOf(answer);
  return {
    functionResponse: {
      ...(vendorIds.has(answer.callId) && { id: answer.callId }),
      name: names.toWire(called.get(answer.callId) ?? answer.name),
      response: answer.success ? { output: text } : { error: text || 'The call failed without a message.' },
    },
  };
}

function plainParts(content: readonly (TextPart | ImagePart)[], images: boolean): Part[] {
  return content.flatMap((part): Part[] => {
    if (part.type === 'text') return part.text === '' ? [] : [{ text: part.text }];
    return images
      ? [{ inlineData: { mimeType: part.mediaType, data: part.data } }]
      : [{ text: '[Image omitted: this model does not support images.]' }];
  });
}

function objectOf(input: unknown): Record<string, unknown> {
  return isObject(input) ? { ...input } : {};
}

/** State of one reply. `finish` is set once the model reports its finish reason. */
export type ReplyState = {
  provider: string;
  names: WireNames;
  calls: number;
  finish?: StopReason;
  /** What a refusal was about, in the vendor's own word. */
  category?: string;
};

export function newReply(provider: string, tools: readonly { name: string }[] = []): ReplyState {
  return { provider, names: wireNames(tools), calls: 0 };
}

/** Translates one wire frame to events, except for the stop: usage may arrive after the finish. */
export function* toEvents(
  frame: Pick<GenerateContentResponse, 'candidates' | 'promptFeedback' | 'usageMetadata'>,
  state: ReplyState,
): Generator<ProviderEvent> {
  const candidate = frame.candidates?.[0];
  for (const part of candidate?.content?.parts ?? []) yield* readPart(part, state);
  if (candidate?.groundingMetadata) yield* foundBy(candidate.groundingMetadata);
  if (frame.usageMetadata) yield { type: 'usage', usage: toUsage(frame.usageMetadata) };
  const { blockReason } = frame.promptFeedback ?? {};
  if (blockReason) {
    state.finish = 'refusal';
    state.category = blockReason;
  }
  const reason = candidate?.finishReason;
  if (!reason || `${reason}` === 'FINISH_REASON_UNSPECIFIED') return;
  if (BROKEN.has(reason))
    throw new ProviderError(
      `The model's tool call could not be read (${reason}). ${candidate?.finishMessage ?? ''}`.trim(),
      { kind: 'server_error', provider: state.provider },
    );
  state.finish = STOP[reason] ?? 'end';
  if (state.finish === 'refusal') state.category = reason;
}

/** Each page with the sentences that it supports. */
function* foundBy({
  groundingChunks = [],
  groundingSupports = [],
  webSearchQueries = [],
}: GroundingMetadata): Generator<ProviderEvent> {
  const hits = groundingChunks.flatMap(({ web }, i) => {
    const about = groundingSupports.filter(({ groundingChunkIndices = [] }) =>
      groundingChunkIndices.includes(i),
    );
    const snippet = about.flatMap(({ segment }) => segment?.text ?? []).join(' ');
    if (web?.uri === undefined) return [];
    const { uri: url, title = '', domain = title } = web;
    // The address leads through the vendor's own host; the title is the domain.
    return [{ title, url, snippet, ...(/^[\w-]+(\.[\w-]+)+$/.test(domain) && { domain }) }];
  });
  if (hits.length > 0 || webSearchQueries.length > 0)
    yield { type: 'web_search', searches: webSearchQueries.length, hits };
}

/** The last event of a finished reply. */
export function stopOf({ finish, calls, category }: ReplyState): ProviderEvent | undefined {
  if (finish === undefined) return undefined;
  if (finish === 'refusal')
    return { type: 'stop', reason: finish, ...(category !== undefined && { refusal: { category } }) };
  return { type: 'stop', reason: finish === 'end' && calls > 0 ? 'tool_calls' : finish };
}

/** Another attempt usually succeeds. */
const BROKEN: ReadonlySet<string> = new Set<`${FinishReason}`>([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
]);

const STOP: Partial<Record<string, StopReason>> = {
  STOP: 'end',
  MAX_TOKENS: 'max_tokens',
  CONTINUATION: 'max_tokens',
  SAFETY: 'refusal',
  RECITATION: 'refusal',
  LANGUAGE: 'refusal',
  OTHER: 'refusal',
  BLOCKLIST: 'refusal',
  PROHIBITED_CONTENT: 'refusal',
  SPII: 'refusal',
  IMAGE_SAFETY: 'refusal',
  IMAGE_PROHIBITED_CONTENT: 'refusal',
  IMAGE_RECITATION: 'refusal',
};

function* readPart(part: Part, state: ReplyState): Generator<ProviderEvent> {
  const signature = part.thoughtSignature;
  if (part.functionCall) {
    const { id, name = '', args = {} } = part.functionCall;
    const key = String(state.calls++);
    yield {
      type: 'tool_call_start',
      key,
      ...(id ? { id } : {}),
      name: state.names.fromWire(name),
      ...(signature ? { signature } : {}),
    };
    // A compatible server may send the arguments as a string; it is passed on unchanged, valid or not.
    yield { type: 'tool_call_delta', key, json: typeof args === 'string' ? args : JSON.stringify(args) };
    yield { type: 'tool_call_end', key };
    return;
  }
  if (part.thought) {
    if (part.text) yield { type: 'thinking', text: part.text };
    if (signature) yield { type: 'thinking_signature', signature };
    return;
  }
  if (part.text) yield { type: 'text', text: part.text };
  // It may arrive with an empty text at the end of the stream.
  if (signature) yield { type: 'text_end', signature };
}

function toUsage(usage: GenerateContentResponseUsageMetadata): Usage {
  const cached = usage.cachedContentTokenCount ?? 0;
  const prompt = (usage.promptTokenCount ?? 0) + (usage.toolUsePromptTokenCount ?? 0);
  return {
    inputTokens: Math.max(0, prompt - cached),
    outputTokens: (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
    cacheReadTokens: cached,
    cacheWriteTokens: 0,
  };
}
