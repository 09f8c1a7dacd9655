import type { PromptCacheUse } from '../../contract/command.ts';
import { addUsage, type Message, noUsage } from '../../contract/message.ts';
import type { CompletionRequest, Provider } from '../../contract/provider.ts';

/** Characters per mark: a difference is located no more precisely than this. */
const STEP = 64;

/**
 * A part of a request without its text: `marks` are hashes of its first 64 characters, its first 128, and so
 * on.
 */
type Block = { name: string; marks: Uint32Array };

type Marked = { kind: string; marks: Uint32Array };

type Asked = { provider: string; request: CompletionRequest; at: number };

/** Finds, on demand, where the last two requests differ and a vendor's prompt cache had to stop. */
export class PromptCache {
  #before: Asked | undefined;
  #last: Asked | undefined;
  /** Each message is hashed once, however often it is sent. */
  readonly #known = new WeakMap<object, readonly Marked[]>();

  /** Compares the last two requests. Null until there are two. */
  get compared(): PromptCacheUse['compared'] {
    if (!this.#before || !this.#last) return null;
    const [before, now] = [this.#blocksOf(this.#before), this.#blocksOf(this.#last)];
    return { gapMs: this.#last.at - this.#before.at, difference: firstDifference(before, now) };
  }

  /** A provider whose requests are recorded here. */
  watched(provider: Provider): Provider {
    return {
      ...provider,
      stream: (request, signal) => {
        this.#before = this.#last;
        // The list of messages keeps growing.
        const asked = { ...request, messages: [...request.messages] };
        this.#last = { provider: provider.name, request: asked, at: Date.now() };
        return provider.stream(request, signal);
      },
    };
  }

  /** In the order in which vendors read a request. */
  #blocksOf({ provider, request }: Asked): Block[] {
    const { model, effort = '', effortForNext = '', tools = [], system, summary = '', messages } = request;
    return [
      { name: 'the model', marks: marksOf(`${provider}/${model} ${effort} ${effortForNext}`) },
      ...this.#marked(tools, () => tools.map(markTool)).map(({ kind, marks }) => ({ name: kind, marks })),
      { name: 'the system prompt', marks: marksOf(system) },
      ...(summary === '' ? [] : [{ name: 'the summary', marks: marksOf(summary) }]),
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
