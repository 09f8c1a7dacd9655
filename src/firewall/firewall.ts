import type { Message } from '../contract/message.ts';
import type { CompletionRequest, Provider } from '../contract/provider.ts';
import { createTextHider, type TextHider } from './hide-text.ts';
import type { NamedSecret } from './looks-secret.ts';
import { createPlaceholders, PLACEHOLDER } from './placeholders.ts';

/** Asked before every request. Returns the very same list while nothing has changed. */
export type SecretSource = () => readonly NamedSecret[];

/** Most values that are learned from texts; each is then looked for in every text, in all its spellings. */
const MOST_LEARNED = 500;

/** How old the list of secrets may be for what stays on this machine; for what leaves it, it is always new. */
const FRESH_MS = 1000;

export type FirewallOptions = {
  secrets: readonly SecretSource[];
  /** Kept on the user's machine: it makes placeholders equal from session to session, and nobody else's guess. */
  key(): string;
  /** Whether a tool's results are texts of this machine as they are: a placeholder in them was written there by somebody. */
  isPlain?(tool: string): boolean;
};

export type Firewall = {
  /** What may be sent: the same object where nothing in it is secret. Images and signed thoughts are left alone. */
  outgoing(request: CompletionRequest): CompletionRequest;
  /** Any plain value with placeholders for the secrets in its texts. */
  hide<T>(value: T): T;
  /** Looks for secrets in the whole of a text of which only parts may be sent, and hides them wherever they appear. */
  learn(text: string, secrets?: readonly NamedSecret[]): void;
  /** The way back, for tools of this machine only. Words that were never given out stay as they are. */
  restore<T>(value: T): T;
  /** Placeholders in a value that stand for nothing known here and were not read in a file of this machine. */
  unknownIn(value: unknown): string[];
};

/** Secrets stay here: a model and its servers see placeholders, local tools see the values. */
export function createFirewall({ secrets: sources, key, isPlain = () => false }: FirewallOptions): Firewall {
  const placeholders = createPlaceholders(key);
  let lists: (readonly NamedSecret[])[] = [];
  let looked = Number.NEGATIVE_INFINITY;
  /** Never forgotten: what a history says is not unsaid when a file changes. */
  const known = new Map<string, NamedSecret>();
  const learned = new Map<string, NamedSecret>();
  /** Placeholders that stand in files as they are, such as in this program's own documentation. */
  const literal = new Set<string>();
  let hider: TextHider = createTextHider([], placeholders, found);
  let hidden = new WeakMap<object, unknown>();
  let lastSystem = { from: '', to: '' };
  let lastSummary: { from?: string | undefined; to?: string | undefined } = {};

  function refresh(): void {
    looked = performance.now();
    const current = sources.map((source) => source());
    if (current.length === lists.length && current.every((list, i) => list === lists[i])) return;
    lists = current;
    const before = known.size;
    for (const secret of current.flat()) if (!known.has(secret.value)) known.set(secret.value, secret);
    if (known.size > before) renew();
  }

  function found(secret: NamedSecret): void {
    if (learned.size < MOST_LEARNED && !learned.has(secret.value)) learned.set(secret.value, secret);
  }

  /** Makes known what was learned; whether there was anything. */
  function absorb(): boolean {
    const before = known.size;
    for (const [value, secret] of learned) if (!known.has(value)) known.set(value, secret);
    if (known.size === before) return false;
    renew();
    return true;
  }

  function renew(): void {
    hider = createTextHider([...known.values()], placeholders, found);
    hidden = new WeakMap();
    lastSystem = { from: '', to: '' };
    lastSummary = {};
  }

  const hideDeep = <T>(value: T): T => mapTexts(value, (text) => hider.hide(text));

  /** A message is looked through once, however often it is sent. */
  function hideOnce<T extends object>(value: T, hide: (value: T) => T): T {
    const done = hidden.get(value);
    if (done !== undefined) return done as T;
    const result = hide(value);
    hidden.set(value, result);
    return result;
  }

  function noteLiterals(message: Message): void {
    if (message.role !== 'user' && !(message.role === 'tool' && isPlain(message.name))) return;
    for (const part of message.content)
      if (part.type === 'text') for (const word of unknownWords(part.text)) literal.add(word);
  }

  function unknownWords(text: string): string[] {
    if (!text.includes('[secret:')) return [];
    return (text.match(PLACEHOLDER) ?? []).filter((word) => placeholders.meaningOf(word) === undefined);
  }

  function hideMessage(message: Message): Message {
    noteLiterals(message);
    const content = message.content.map((part) => {
      if (part.type === 'image' || (part.type === 'thinking' && part.signature !== undefined)) return part;
      if (part.type === 'text') {
        const text = hideDeep(part.text);
        return text === part.text ? part : { type: part.type, text };
      }
      if (part.type !== 'tool_call') return hideDeep(part);
      // A signature is good only for the very call it was given for.
      const { input, malformed, signature: _, ...call } = part;
      const shown = {
        input: hideDeep(input),
        ...(malformed !== undefined && { malformed: hideDeep(malformed) }),
      };
      return shown.input === input && shown.malformed === malformed ? part : { ...call, ...shown };
    });
    const same = content.every((part, i) => part === message.content[i]);
    // Every kind of message keeps its kinds of parts.
    return same ? message : ({ ...message, content } as Message);
  }

  function hideRequest(request: CompletionRequest): CompletionRequest {
    if (lastSystem.from !== request.system)
      lastSystem = { from: request.system, to: hider.hide(request.system) };
    const system = lastSystem.to;
    if (lastSummary.from !== request.summary)
      lastSummary = { from: request.summary, to: request.summary && hider.hide(request.summary) };
    const summary = lastSummary.to;
    const messages = request.messages.map((message) => hideOnce(message, hideMessage));
    const tools = request.tools && hideOnce(request.tools, hideDeep);
    const same = messages.every((message, i) => message === request.messages[i]);
    if (same && system === request.system && summary === request.summary && tools === request.tools)
      return request;
    return {
      ...request,
      system,
      ...(summary !== undefined && { summary }),
      messages: same ? request.messages : messages,
      ...(tools && { tools }),
    };
  }

  return {
    outgoing(request) {
      refresh();
      const hiddenOnce = hideRequest(request);
      // What one message gave away is hidden in all of them.
      return absorb() ? hideRequest(request) : hiddenOnce;
    },

    learn(text, secrets = []) {
      refresh();
      hider.hide(text);
      for (const secret of secrets) found(secret);
      absorb();
    },

    hide(value) {
      if (performance.now() - looked > FRESH_MS) refresh();
      return hideDeep(value);
    },

    restore: (value) =>
      mapTexts(value, (text) => {
        if (!text.includes('[secret:')) return text;
        if (unknownWords(text).length > 0) {
          refresh();
          hider.nameAll();
        }
        return text.replaceAll(PLACEHOLDER, (word) => placeholders.meaningOf(word) ?? word);
      }),

    unknownIn(value) {
      const found = new Set<string>();
      mapTexts(value, (text) => {
        for (const word of unknownWords(text)) if (!literal.has(word)) found.add(word);
        return text;
      });
      return [...found];
    },
  };
}

/** Nothing secret leaves with a request; what comes back is not touched. */
export function guardProvider(provider: Provider, firewall: Pick<Firewall, 'outgoing'>): Provider {
  return {
    ...provider,
    stream: (request, signal) => provider.stream(firewall.outgoing(request), signal),
    countTokens: (request, signal) => provider.countTokens(firewall.outgoing(request), signal),
  };
}

/** The same value with other texts; the very same objects where no text is another. */
function mapTexts<T>(value: T, change: (text: string) => string): T {
  // Each branch returns the kind of value it was given.
  if (typeof value === 'string') return change(value) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => mapTexts(item, change));
    return items.every((item, i) => item === value[i]) ? value : (items as T);
  }
  const entries = Object.entries(value).map(([name, inner]) => [
    change(name),
    mapTexts(inner as unknown, change),
  ]);
  const same = Object.entries(value).every(([name, inner], i) => {
    const [newName, newInner] = entries[i] ?? [];
    return newName === name && newInner === inner;
  });
  return same ? value : (Object.fromEntries(entries) as T);
}
