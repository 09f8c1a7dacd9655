import type { Message } from '../contract/message.ts';
import type { CompletionRequest, Provider } from '../contract/provider.ts';
import { createTextHider, type TextHider } from './hide-text.ts';
import type { NamedSecret } from './looks-secret.ts';
import { createPlaceholders, PLACEHOLDER } from './placeholders.ts';

/** Called before every request. Returns the identical list while nothing has changed. */
export type SecretSource = () => readonly NamedSecret[];

/** Maximum number of values learned from text; each is then searched in every text, in all its encodings. */
const MOST_LEARNED = 500;

/**
 * How old the list of secrets may be for what stays on this machine; for what leaves it, it is always
 * refreshed.
 */
const FRESH_MS = 1000;

export type FirewallOptions = {
  secrets: readonly SecretSource[];
  /** Stored on the user's machine: makes placeholders stable across sessions, and unguessable for others. */
  key(): string;
  /** Whether a tool's results are unmodified local text: a placeholder in them is literally in the source. */
  isPlain?(tool: string): boolean;
};

export type Firewall = {
  /**
   * What may be sent: the same object if nothing in it is secret. Images and signed thinking are unchanged.
   */
  outgoing(request: CompletionRequest): CompletionRequest;
  /** Any plain value with the secrets in its strings replaced by placeholders. */
  hide<T>(value: T): T;
  /**
   * Searches a whole text for secrets even if only parts may be sent, and hides them wherever they appear.
   */
  learn(text: string, secrets?: readonly NamedSecret[]): void;
  /** Restores secrets, for local tools only. Unknown placeholders are unchanged. */
  restore<T>(value: T): T;
  /** Placeholders in a value that are unknown here and were not read from a local file. */
  unknownIn(value: unknown): string[];
};

/** Keeps secrets on this machine: models and MCP servers get placeholders, local tools the real values. */
export function createFirewall({ secrets: sources, key, isPlain = () => false }: FirewallOptions): Firewall {
  const placeholders = createPlaceholders(key);
  let lists: (readonly NamedSecret[])[] = [];
  let looked = Number.NEGATIVE_INFINITY;
  /** Never removed: the history still contains a secret when its file changes. */
  const known = new Map<string, NamedSecret>();
  const learned = new Map<string, NamedSecret>();
  /** Placeholders that are literally in files, such as in this program's own documentation. */
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

  /** Adds learned values to the known ones; returns whether there were any. */
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

  /** A message is checked once, however often it is sent. */
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
      // A signature is valid only for the exact call it was given for.
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
      // A secret found in one message is hidden in all of them.
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

/** Redacts secrets in requests; replies are unchanged. */
export function guardProvider(provider: Provider, firewall: Pick<Firewall, 'outgoing'>): Provider {
  return {
    ...provider,
    stream: (request, signal) => provider.stream(firewall.outgoing(request), signal),
    countTokens: (request, signal) => provider.countTokens(firewall.outgoing(request), signal),
  };
}

/** Maps all strings in a value; returns identical objects if no string changes. */
function mapTexts<T>(value: T, change: (text: string) => string): T {
  // Each branch returns the same type of value.
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
