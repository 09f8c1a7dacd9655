import { isDeepStrictEqual } from 'node:util';
import {
  type AssistantMessage,
  newCallId,
  type StopReason,
  type ToolCallPart,
  type Usage,
} from '../contract/message.ts';
import type { CompletionRequest, Provider, ProviderEvent, Refusal } from '../contract/provider.ts';
import { isObject, parseObject } from '../lib/text/json.ts';

type OpenCall = { part: ToolCallPart; json: string; vendorId: string | undefined };

export type ReplyOrigin = {
  provider: string;
  model: string;
  /** The session's call with this id. */
  earlier(id: string): ToolCallPart | undefined;
  /** The call that was meant by one that is not valid; undefined if it is, or if that is not certain. */
  repair?(sent: { name: string; json: string }): { name: string; input: unknown } | undefined;
};

/** Folds the events of one reply into one message. */
export class Reply {
  #origin: ReplyOrigin;
  readonly #content: AssistantMessage['content'] = [];
  readonly #calls = new Map<string, OpenCall>();
  readonly #ids = new Map<string, ToolCallPart>();
  #usage: Usage | undefined;
  #stop: StopReason | undefined;
  #refusal: Refusal | undefined;
  /** Index of the first part that answers the current request. */
  #from = 0;
  /** Thoughts of a reply that had nothing else. */
  #lost = '';
  /** Of the program, which the current part answers. */
  #prompt: string | undefined;

  constructor(origin: ReplyOrigin) {
    this.#origin = origin;
  }

  /** Whether the provider reported the reply as complete. */
  get stopped(): boolean {
    return this.#stop !== undefined;
  }

  /** The model that answers, or the one requested last. */
  get model(): string {
    return this.#origin.model;
  }

  get usage(): Usage | undefined {
    return this.#usage;
  }

  /** What is known of the vendor's refusal. */
  get refusal(): Refusal | undefined {
    return this.#refusal;
  }

  /** Neither text nor calls, for any reason but a refusal. */
  get isEmpty(): boolean {
    return this.#stop !== 'refusal' && this.#calls.size === 0 && !this.#hasText();
  }

  /** Text that the output limit cut off, and no call that could be answered. */
  get isCutText(): boolean {
    return this.#stop === 'max_tokens' && this.#calls.size === 0 && this.#hasText();
  }

  /** Whether the current part of the reply has text that a request for the rest could follow. */
  get hasText(): boolean {
    return this.#hasText();
  }

  /** The thoughts of the reply, as far as they may be shown. */
  get thought(): string {
    const shown = this.#content.flatMap((part) =>
      part.type === 'thinking' && part.signature === undefined ? [part.text.trim()] : [],
    );
    return [...new Set([this.#lost, ...shown])].filter((text) => text !== '').join('\n\n');
  }

  /** Makes the thoughts of a reply without an answer the answer; false if there are none. */
  showThought(): boolean {
    const { thought } = this;
    if (thought === '' || this.#stop === 'max_tokens') return false;
    this.#content.splice(this.#from, Infinity, { type: 'text', text: thought });
    return true;
  }

  /**
   * Expects the rest of a reply that broke off, or an answer after an empty one, to this prompt of the program. Returns
   * the reply so far, as it is sent with the prompt. Calls that may be unfinished are void.
   */
  continueWith(prompt: string, timestamp: string): AssistantMessage {
    if (!this.#hasText()) this.#lost = this.thought;
    this.#markContinued();
    this.#dropUnfinished();
    if (!this.#hasText()) this.#content.length = 0;
    this.#usage = undefined;
    this.#stop = undefined;
    this.#from = this.#content.length;
    this.#prompt = prompt;
    const content = this.#content.map((part) => ({ ...part }));
    const asked = { type: 'text' as const, text: '', continues: prompt };
    return { ...this.#message('cut', timestamp), content: [...content, asked] };
  }

  /** The rest of a truncated answer is unavailable: restores the state before `continueWith`. */
  settle(): void {
    this.#dropCalls();
    this.#stop = 'max_tokens';
  }

  push(event: ProviderEvent): void {
    switch (event.type) {
      case 'text':
        if (event.note) this.#addNote(event.text);
        else this.#say('text', event.text);
        break;
      case 'thinking':
        this.#say('thinking', event.text);
        break;
      case 'thinking_signature':
        this.#sign(event.signature, event.redacted);
        break;
      case 'text_end':
        this.#closeText(event);
        break;
      case 'reclassify':
        this.#reclassify(event.as);
        break;
      case 'tool_call_start':
        this.#open(event);
        break;
      case 'tool_call_delta': {
        const call = this.#calls.get(event.key);
        if (call) call.json += event.json;
        break;
      }
      case 'usage':
        this.#usage = event.usage;
        break;
      case 'stop':
        this.#stop = event.reason;
        this.#refusal = event.refusal;
        break;
      case 'model':
        this.#origin = { ...this.#origin, provider: event.provider, model: event.model };
        break;
      case 'retry':
        // The same request is sent again.
        this.#dropCalls();
        this.#content.length = this.#from;
        break;
      case 'tool_call_end':
      case 'web_search':
      case 'summarized':
      case 'input_transformed':
      case 'loading':
        break;
      default:
        event satisfies never;
    }
  }

  /** The complete reply with parsed calls. */
  finish(timestamp: string): AssistantMessage {
    this.#markContinued();
    for (const { part, json } of this.#calls.values()) Object.assign(part, this.#readCall(part, json));
    this.#expandParallel();
    if (this.#stop === 'max_tokens') this.#markCut();
    this.#markRepeats();
    const reason = this.#stop ?? 'end';
    return this.#message(this.#calls.size > 0 && reason === 'end' ? 'tool_calls' : reason, timestamp);
  }

  /**
   * The part that arrived before the reply broke off, or null if nothing is left. Drops its calls: none of
   * them ran.
   */
  endEarly(reason: 'cut' | 'aborted', timestamp: string): AssistantMessage | null {
    this.#dropCalls();
    this.#markContinued();
    return this.#hasText() ? this.#message(reason, timestamp) : null;
  }

  /** A call that the output limit may have cut off is not repaired, nor one that its vendor signed. */
  #readCall({ name, signature }: ToolCallPart, json: string): Partial<ToolCallPart> {
    const isFixed = this.#stop === 'max_tokens' || signature !== undefined;
    const meant = isFixed ? undefined : this.#origin.repair?.({ name, json });
    return meant ? { ...meant, repaired: `${name} ${json}`.slice(0, MOST_SENT) } : parseInput(json);
  }

  #hasText(): boolean {
    return this.#content.some((part) => part.type === 'text' && part.text.trim() !== '');
  }

  /**
   * Marks the last call as truncated by the output limit. Its JSON may still be valid, because some servers
   * close truncated JSON: never write half a file as if it were complete.
   */
  #markCut(): void {
    const parts = [...this.#calls.values()].map(({ part }) => part);
    for (const part of parts) if (part === parts.at(-1) || part.malformed !== undefined) part.cut = true;
  }

  /** Several calls in one: some models write them so, although they can make several. */
  #expandParallel(): void {
    const all = [...this.#calls];
    this.#calls.clear();
    for (const [key, call] of all) {
      const { part, vendorId } = call;
      const inner = PARALLEL.test(part.name) ? innerCalls(part.input) : [];
      if (inner.length === 0) {
        this.#calls.set(key, call);
        continue;
      }
      const parts = inner.map((one, i) => ({ ...part, ...one, id: i === 0 ? part.id : newCallId() }));
      this.#content.splice(this.#content.indexOf(part), 1, ...parts);
      for (const [i, one] of parts.entries())
        this.#calls.set(`${key} ${i}`, { part: one, json: '', vendorId: i === 0 ? vendorId : undefined });
    }
  }

  /** Two equal calls in one reply are one call that was sent twice, whatever their ids. */
  #markRepeats(): void {
    const parts: ToolCallPart[] = [];
    for (const { part, vendorId } of this.#calls.values()) {
      const twin = part.malformed === undefined && parts.find((other) => isSameCall(other, part));
      if (twin) part.repeats = twin.id;
      else if (vendorId !== undefined && vendorId !== part.id && this.#isRepeat(part, vendorId))
        part.repeats = vendorId;
      else parts.push(part);
    }
  }

  /** Marks the first part after a prompt for the rest. One that no reply followed is as if it had not been sent. */
  #markContinued(): void {
    const first = this.#content[this.#from];
    if (first && this.#prompt !== undefined) first.continues = this.#prompt;
    this.#prompt = undefined;
  }

  #dropCalls(): void {
    const kept = this.#content.filter((part) => part.type !== 'tool_call');
    this.#content.splice(0, Infinity, ...kept);
    this.#calls.clear();
    this.#ids.clear();
  }

  /** A thought continued after a break would not match its vendor's signature. */
  #dropUnfinished(): void {
    this.#dropCalls();
    const last = this.#content.at(-1);
    if (last?.type === 'thinking' && last.signature === undefined) this.#content.pop();
  }

  #message(stopReason: StopReason, timestamp: string): AssistantMessage {
    const { provider, model } = this.#origin;
    const usage = this.#usage && { usage: this.#usage };
    return { role: 'assistant', content: this.#content, provider, model, stopReason, ...usage, timestamp };
  }

  #say(type: 'text' | 'thinking', text: string): void {
    const last = this.#content.length > this.#from ? this.#content.at(-1) : undefined;
    if (last?.type === type && !isClosed(last)) last.text += text;
    else if (text !== '') this.#content.push({ type, text });
  }

  #addNote(text: string): void {
    const last = this.#content.length > this.#from ? this.#content.at(-1) : undefined;
    if (last?.type === 'thinking' && last.note && !isClosed(last)) last.text += text;
    else if (text !== '') this.#content.push({ type: 'thinking', text, note: true });
  }

  #sign(signature: string, redacted: true | undefined): void {
    const last = this.#content.at(-1);
    if (redacted) this.#content.push({ type: 'thinking', text: '', signature, redacted });
    else if (last?.type === 'thinking' && last.signature === undefined) last.signature = signature;
    else this.#content.push({ type: 'thinking', text: '', signature });
  }

  #closeText({ signature, phase }: Extract<ProviderEvent, { type: 'text_end' }>): void {
    const last = this.#content.length > this.#from ? this.#content.at(-1) : undefined;
    const end = { ...(signature !== undefined && { signature }), ...(phase && { phase }) };
    if (last?.type === 'text' && !isClosed(last)) Object.assign(last, end);
    else if (signature !== undefined) this.#content.push({ type: 'text', text: '', ...end });
  }

  #reclassify(as: 'text' | 'thinking'): void {
    const now = this.#content.slice(this.#from);
    const said = now.filter((part) => part.type === 'text' || part.type === 'thinking');
    const text = said.map((part) => part.text).join('');
    const rest = now.filter((part) => part.type === 'tool_call');
    this.#content.splice(this.#from, Infinity, ...(text === '' ? [] : [{ type: as, text }]), ...rest);
  }

  #open(event: Extract<ProviderEvent, { type: 'tool_call_start' }>): void {
    const signature = event.signature === undefined ? {} : { signature: event.signature };
    const id = this.#uniqueId(event.id);
    const part: ToolCallPart = { type: 'tool_call', id, name: event.name, input: {}, ...signature };
    this.#ids.set(id, part);
    this.#content.push(part);
    this.#calls.set(event.key, { part, json: '', vendorId: event.id });
  }

  #uniqueId(id: string | undefined): string {
    return id && !this.#find(id) ? id : newCallId();
  }

  #find(id: string): ToolCallPart | undefined {
    return this.#ids.get(id) ?? this.#origin.earlier(id);
  }

  /**
   * A call of an earlier reply, under the same id. Counter-like ids prove nothing: some servers restart them in
   * each reply.
   */
  #isRepeat(part: ToolCallPart, vendorId: string): boolean {
    const earlier = this.#find(vendorId);
    if (!earlier || COUNTING_ID.test(vendorId) || part.malformed !== undefined) return false;
    return isSameCall(earlier, part);
  }
}

function isClosed(part: AssistantMessage['content'][number]): boolean {
  return 'signature' in part || 'phase' in part;
}

function isSameCall(a: ToolCallPart, b: ToolCallPart): boolean {
  return a.name === b.name && isDeepStrictEqual(a.input, b.input);
}

/** How much of a repaired call is kept as it was sent. */
const MOST_SENT = 2_000;

const PARALLEL = /^(multi_tool_use\.)?parallel$/;

function innerCalls(input: unknown): { name: string; input: unknown }[] {
  const uses = isObject(input) ? input.tool_uses : undefined;
  if (!Array.isArray(uses)) return [];
  return uses.flatMap((use: unknown) => {
    if (!isObject(use) || typeof use.recipient_name !== 'string') return [];
    return [{ name: use.recipient_name.replace(/^functions\./, ''), input: use.parameters ?? {} }];
  });
}

/** `call_0`, `functions.Read:3`, `7`, `tool-1`. */
const COUNTING_ID = /^.{0,5}$|(^|[^a-z0-9])\d{1,5}$/i;

/** An empty argument list arrives as no JSON at all, not as `{}`. */
function parseInput(json: string): { input: unknown; malformed?: string } {
  if (json.trim() === '') return { input: {} };
  const input = parseObject(json);
  return input ? { input } : { input: {}, malformed: json };
}

/** Requests one complete reply, without streaming. */
export async function complete(
  provider: Provider,
  request: CompletionRequest,
  signal: AbortSignal,
): Promise<AssistantMessage> {
  const reply = new Reply({ provider: provider.name, model: request.model, earlier: () => undefined });
  for await (const event of provider.stream(request, signal)) reply.push(event);
  return reply.finish(new Date().toISOString());
}
