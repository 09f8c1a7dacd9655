import type { Message } from '../contract/message.ts';
import type { CompletionRequest, Provider } from '../contract/provider.ts';
import { createTextHider, type MayHide, type TextHider } from './hide-text.ts';
import type { NamedSecret } from './looks-secret.ts';
import { createPlaceholders, PLACEHOLDER } from './placeholders.ts';
import { SentMessageHider } from './sent-before.ts';

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
   * What may be sent: the same object if nothing in it is secret. Images and signed thinking are unchanged, and so is
   * what a conversation has sent before.
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
export function createFirewall({ secrets, key, isPlain = () => false }: FirewallOptions): Firewall {
  const placeholders = createPlaceholders(key);
  const known = new KnownSecrets(secrets);
  /** Placeholders that are literally in files, such as in this program's own documentation. */
  const literal = new Set<string>();
  let hider: TextHider = createTextHider([], placeholders, known.learn);
  let hidden = new WeakMap<object, unknown>();
  let conversation = new SentMessageHider(hideMessage, placeholders);
  const hideLong = () => rememberingLast((text) => hider.hide(text));
  let hideSystem = hideLong();
  let hideSummary = hideLong();

  /** To be called when more is known. */
  function renew(): true {
    hider = createTextHider(known.values(), placeholders, known.learn);
    hidden = new WeakMap();
    conversation = new SentMessageHider(hideMessage, placeholders);
    hideSystem = hideLong();
    hideSummary = hideLong();
    return true;
  }

  const refresh = () => void (known.refresh() && renew());
  const absorb = (): boolean => known.absorb() && renew();
  const hideDeep = <T>(value: T, mayHide?: MayHide): T =>
    mapTexts(value, (text) => hider.hide(text, mayHide));

  /** A message is checked once, however often it is sent. */
  function hideOnce<T extends object>(value: T, hide: (value: T) => T): T {
    const done = hidden.get(value);
    if (done !== undefined) return done as T;
    const result = hide(value);
    hidden.set(value, result);
    return result;
  }

  function hideMessage(message: Message, mayHide?: MayHide): Message {
    for (const text of localTexts(message, isPlain)) for (const word of unknownWords(text)) literal.add(word);
    return hiddenMessage(message, (value) => hideDeep(value, mayHide));
  }

  const unknownWords = (text: string) =>
    placeholdersIn(text).filter((word) => placeholders.meaningOf(word) === undefined);

  function hideRequest(request: CompletionRequest): CompletionRequest {
    const { sent, ...rest } = request;
    if (sent) return { ...rest, messages: conversation.hide(request.messages, sent) };
    return changed(request, {
      system: hideSystem(request.system),
      summary: request.summary && hideSummary(request.summary),
      messages: request.messages.map((message) => hideOnce(message, hideMessage)),
      tools: request.tools && hideOnce(request.tools, hideDeep),
    });
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
      for (const secret of secrets) known.learn(secret);
      absorb();
    },

    hide(value) {
      if (!known.isFresh) refresh();
      return hideDeep(value);
    },

    restore: (value) =>
      mapTexts(value, (text) => {
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

/** Texts that are as they stand on this machine. */
function localTexts(message: Message, isPlain: (tool: string) => boolean): string[] {
  const isLocal = message.role === 'user' || (message.role === 'tool' && isPlain(message.name));
  return isLocal ? message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : [];
}

/** For texts that are long and seldom change. */
function rememberingLast(hide: (text: string) => string): (text: string) => string {
  let last = { from: '', to: '' };
  return (text) => {
    if (last.from !== text) last = { from: text, to: hide(text) };
    return last.to;
  };
}

function placeholdersIn(text: string): string[] {
  return text.includes('[secret:') ? (text.match(PLACEHOLDER) ?? []) : [];
}

/** Secrets from the sources, and those learned from texts. */
class KnownSecrets {
  readonly #sources: readonly SecretSource[];
  /** Never removed: the history still contains a secret when its file changes. */
  readonly #known = new Map<string, NamedSecret>();
  readonly #learned = new Map<string, NamedSecret>();
  #lists: (readonly NamedSecret[])[] = [];
  #refreshedAt = Number.NEGATIVE_INFINITY;

  constructor(sources: readonly SecretSource[]) {
    this.#sources = sources;
  }

  get isFresh(): boolean {
    return performance.now() - this.#refreshedAt <= FRESH_MS;
  }

  values(): NamedSecret[] {
    return [...this.#known.values()];
  }

  readonly learn = (secret: NamedSecret): void => {
    if (this.#learned.size < MOST_LEARNED && !this.#learned.has(secret.value))
      this.#learned.set(secret.value, secret);
  };

  /** Reads the sources; returns whether there are new ones. */
  refresh(): boolean {
    this.#refreshedAt = performance.now();
    const current = this.#sources.map((source) => source());
    if (current.length === this.#lists.length && current.every((list, i) => list === this.#lists[i]))
      return false;
    this.#lists = current;
    return this.#add(current.flat());
  }

  /** Adds learned values to the known ones; returns whether there were any. */
  absorb(): boolean {
    return this.#add(this.#learned.values());
  }

  #add(secrets: Iterable<NamedSecret>): boolean {
    const before = this.#known.size;
    for (const secret of secrets) if (!this.#known.has(secret.value)) this.#known.set(secret.value, secret);
    return this.#known.size > before;
  }
}

/** The same object if nothing in it is secret. */
function hiddenMessage(message: Message, hide: <T>(value: T) => T): Message {
  const content = message.content.map((part) => {
    if (part.type === 'image' || (part.type === 'thinking' && part.signature !== undefined)) return part;
    if (part.type === 'text') {
      const text = hide(part.text);
      if (text === part.text) return part;
      return { type: part.type, text, ...(part.update && { update: hide(part.update) }) };
    }
    if (part.type !== 'tool_call') return hide(part);
    // A signature is valid only for the exact call it was given for.
    const { input, malformed, signature: _, ...call } = part;
    const shown = { input: hide(input), ...(malformed !== undefined && { malformed: hide(malformed) }) };
    return shown.input === input && shown.malformed === malformed ? part : { ...call, ...shown };
  });
  const same = content.every((part, i) => part === message.content[i]);
  // Every kind of message keeps its kinds of parts.
  return same ? message : ({ ...message, content } as Message);
}

type Hidden = {
  system: string;
  summary: string | undefined;
  messages: Message[];
  tools: CompletionRequest['tools'];
};

/** The same object if nothing differs. */
function changed(
  request: CompletionRequest,
  { system, summary, messages, tools }: Hidden,
): CompletionRequest {
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
