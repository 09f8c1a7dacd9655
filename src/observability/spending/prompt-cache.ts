import type { PromptCacheUse } from '../../contract/command.ts';
import { addUsage, type Message, noUsage, type Usage } from '../../contract/message.ts';
import type { CompletionRequest, ModelInfo, Provider, ProviderEvent } from '../../contract/provider.ts';
import type { Epoch } from '../../contract/request/epoch.ts';
import { type CacheMiss, cacheMiss, type Successive } from './cache-miss.ts';

/** Characters per mark: a difference is located no more precisely than this. */
const STEP = 64;

/**
 * A part of a request without its text: `marks` are hashes of its first 64 characters, its first 128, and so
 * on.
 */
type Block = { name: string; marks: Uint32Array };

type Marked = { kind: string; marks: Uint32Array };

type Asked = { provider: string; request: CompletionRequest; at: number };

export type PromptCacheDeps = {
  /** The conversation as it is now. */
  conversation(): { messages: readonly Message[]; epoch: Epoch | undefined };
  onMiss(miss: CacheMiss): void;
};

const UNWATCHED: PromptCacheDeps = {
  conversation: () => ({ messages: [], epoch: undefined }),
  onMiss: () => undefined,
};

/** Finds where the last two requests differ, and what a vendor's prompt cache therefore had to read in full. */
export class PromptCache {
  readonly #deps: PromptCacheDeps;
  readonly misses: CacheMiss[] = [];
  #counted: Successive['before'] | undefined;
  #before: Asked | undefined;
  #last: Asked | undefined;
  /** Each message is hashed once, however often it is sent. */
  readonly #known = new WeakMap<object, readonly Marked[]>();

  constructor(deps: PromptCacheDeps = UNWATCHED) {
    this.#deps = deps;
  }

  get use(): Pick<PromptCacheUse, 'compared' | 'misses'> {
    return { compared: this.compared, misses: this.misses };
  }

  /** Compares the last two requests. Null until there are two. */
  get compared(): PromptCacheUse['compared'] {
    if (!this.#before || !this.#last) return null;
    const [before, now] = [this.#blocksOf(this.#before), this.#blocksOf(this.#last)];
    return { gapMs: this.#last.at - this.#before.at, difference: firstDifference(before, now) };
  }

  /** A provider whose requests are recorded here. */
  watched(provider: Provider, price: ModelInfo['price'] = null): Provider {
    return {
      ...provider,
      stream: (request, signal) => {
        this.#before = this.#last;
        // The list of messages keeps growing.
        const asked = { ...request, messages: [...request.messages] };
        this.#last = { provider: provider.name, request: asked, at: Date.now() };
        const { messages, epoch } = this.#deps.conversation();
        const before = this.#counted ?? countedBy(messages, epoch);
        return this.#counting(provider.stream(request, signal), { asked: this.#last, before, epoch, price });
      },
    };
  }

  async *#counting(
    events: AsyncIterable<ProviderEvent>,
    { asked, before, epoch, price }: Counting,
  ): AsyncGenerator<ProviderEvent> {
    let usage: Usage | undefined;
    for await (const event of events) {
      if (event.type === 'usage') usage = event.usage;
      yield event;
    }
    if (!usage) return;
    const { at, request } = asked;
    this.#counted = { usage, epoch, at: Date.now() };
    const now = { usage, epoch, at, model: request.model, lifetime: request.cacheLifetime };
    const miss = before && cacheMiss({ before, now, difference: this.#differenceInWords() }, price);
    if (!miss) return;
    this.misses.push(miss);
    this.#deps.onMiss(miss);
  }

  #differenceInWords(): string | null {
    const block = this.compared?.difference?.block;
    if (block === undefined) return null;
    const [before, now] = [this.#before?.request, this.#last?.request];
    if (block !== 'the model') return `${block} differs from the request before`;
    return before?.model === now?.model
      ? 'the effort changed'
      : `${now?.model ?? 'another model'} answers instead of ${before?.model ?? 'another'}`;
  }

  /** In the order in which vendors read a request. */
  #blocksOf({ provider, request }: Asked): Block[] {
    const { model, effort = '', effortForNext = '', tools = [], system, summary = '' } = request;
    const { vendorSummary, messages } = request;
    return [
      { name: 'the model', marks: marksOf(`${provider}/${model} ${effort} ${effortForNext}`) },
      ...this.#marked(tools, () => tools.map(markTool)).map(({ kind, marks }) => ({ name: kind, marks })),
      { name: 'the system prompt', marks: marksOf(system) },
      ...(summary === '' ? [] : [{ name: 'the summary', marks: marksOf(summary) }]),
      ...(vendorSummary
        ? [{ name: "the vendor's summary", marks: marksOf(JSON.stringify(vendorSummary)) }]
        : []),
      ...messages.flatMap((message, i) =>
        this.#marked(message, () => markMessage(message)).map(({ kind, marks }) => ({
          name: `message ${i + 1} (${kind})`,
          marks,
        })),
      ),
    ];
  }

  #marked(thing: object, mark: () => readonly Marked[]): readonly Marked[] {
    const known = this.#known.get(thing) ?? mark();
    this.#known.set(thing, known);
    return known;
  }
}

type Counting = {
  asked: Asked;
  before: Successive['before'] | undefined;
  epoch: Epoch | undefined;
  price: ModelInfo['price'];
};

/** What an earlier process was last told. */
function countedBy(messages: readonly Message[], epoch: Epoch | undefined): Successive['before'] | undefined {
  const at = messages.findLastIndex((message) => message.role === 'assistant' && message.usage !== undefined);
  const message = messages[at];
  if (message?.role !== 'assistant' || !message.usage) return undefined;
  const isSame = epoch !== undefined && epoch.from <= at;
  return { usage: message.usage, epoch: isSame ? epoch : undefined, at: Date.parse(message.timestamp) };
}

/** What the vendor counted. */
export function cachedUsage(messages: readonly Message[]): Pick<PromptCacheUse, 'session' | 'last'> {
  const usages = messages.flatMap((message) =>
    message.role === 'assistant' && message.usage ? [message.usage] : [],
  );
  return { session: usages.reduce(addUsage, noUsage), last: usages.at(-1) ?? null };
}

/** Null if one list is a prefix of the other: then everything cacheable was sent unchanged. */
function firstDifference(
  before: readonly Block[],
  now: readonly Block[],
): NonNullable<PromptCacheUse['compared']>['difference'] {
  for (const [i, block] of now.slice(0, before.length).entries()) {
    const old = before[i]?.marks ?? new Uint32Array();
    if (block.marks === old) continue;
    const mark = block.marks.findIndex((value, at) => value !== old[at]);
    if (mark === -1 && old.length === block.marks.length) continue;
    return { block: block.name, character: (mark === -1 ? block.marks.length : mark) * STEP + 1 };
  }
  return null;
}

function markTool(tool: NonNullable<CompletionRequest['tools']>[number]): Marked {
  return { kind: `the tool ${tool.name}`, marks: marksOf(JSON.stringify(tool)) };
}

/** Only what is sent: no timestamps or costs. */
function markMessage(message: Message): Marked[] {
  return message.content.map((part) => {
    switch (part.type) {
      case 'text': {
        if (message.role !== 'tool') return { kind: message.role, marks: marksOf(part.text) };
        const { callId, name, success } = message;
        return { kind: `result of ${name}`, marks: marksOf(part.text, `${callId} ${success}`) };
      }
      case 'image':
        return { kind: `${message.role}, image`, marks: marksOf(part.data, part.mediaType) };
      case 'thinking':
        return { kind: 'thought', marks: marksOf(part.text, part.signature) };
      case 'tool_call': {
        const { id, name, input, malformed = '', signature = '' } = part;
        const seed = `${id} ${malformed} ${signature}`;
        return { kind: `call to ${name}`, marks: marksOf(`${name} ${JSON.stringify(input)}`, seed) };
      }
      default:
        return part satisfies never;
    }
  });
}

/** FNV-1a over UTF-16 units, recorded at every step and at the end. */
function marksOf(text: string, seed = ''): Uint32Array {
  let hash = 0x811c9dc5;
  const take = (unit: number) => {
    hash = Math.imul(hash ^ unit, 0x01000193);
  };
  for (let i = 0; i < seed.length; i++) take(seed.charCodeAt(i));
  const marks = new Uint32Array(Math.floor(text.length / STEP) + 1);
  for (let i = 0; i < text.length; i++) {
    take(text.charCodeAt(i));
    if ((i + 1) % STEP === 0) marks[(i + 1) / STEP - 1] = hash;
  }
  // Includes the length: a text differs from its prefix.
  take(text.length);
  marks[marks.length - 1] = hash;
  return marks;
}
