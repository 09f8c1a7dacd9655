import type { Message } from '../contract/message.ts';
import type { SentBefore } from '../contract/provider.ts';
import type { SecretMask } from '../contract/request/epoch.ts';
import type { MayHide } from './hide-text.ts';
import { PLACEHOLDER, type Placeholders } from './placeholders.ts';

/** The end of a placeholder depends on the secret alone, its name on where the secret was found. */
const tailOf = (placeholder: string) => placeholder.slice(-9, -1);

type HiddenMessage = { message: Message; placeholders: readonly string[] };

/**
 * Hides secrets in the messages of a conversation, and keeps what was sent as it was sent: a secret that became known
 * later stays in the messages that showed it, because their text is part of what the vendor bound the model's reasoning
 * to, and has seen it anyway.
 */
export class SentMessageHider {
  readonly #hide: (message: Message, mayHide?: MayHide) => Message;
  readonly #placeholders: Placeholders;
  /** A message is searched once, however often it is sent. */
  readonly #hidden = new WeakMap<Message, HiddenMessage>();

  constructor(hide: (message: Message, mayHide?: MayHide) => Message, placeholders: Placeholders) {
    this.#hide = hide;
    this.#placeholders = placeholders;
  }

  hide(messages: readonly Message[], sent: SentBefore): Message[] {
    for (const { placeholder } of sent.masks) this.#placeholders.adopt(placeholder);
    const masks = new SentMasks(sent);
    const shown = messages.map((message, position) => {
      const done = this.#hiddenOf(message, masks.at(position));
      masks.hidden(position, done.placeholders);
      return done.message;
    });
    masks.report();
    return shown;
  }

  /** What shows a secret is searched again, because each epoch decides for itself whether to hide it. */
  #hiddenOf(message: Message, mayHide: MayHide | undefined): HiddenMessage {
    const known = this.#hidden.get(message);
    if (known && (!mayHide || known.placeholders.every(mayHide))) return known;
    let isExposed = false;
    const noting: MayHide = (placeholder) => {
      const may = mayHide?.(placeholder) ?? true;
      isExposed ||= !may;
      return may;
    };
    const shown = this.#hide(message, mayHide && noting);
    const done = { message: shown, placeholders: shown === message ? [] : placeholdersOf(shown.content) };
    if (!isExposed) this.#hidden.set(message, done);
    return done;
  }
}

/** Which secrets were hidden from which position on. */
class SentMasks {
  readonly #sent: SentBefore;
  readonly #masks: Map<string, SecretMask>;
  readonly #fresh = new Map<string, SecretMask & { at?: number }>();

  constructor(sent: SentBefore) {
    this.#sent = sent;
    this.#masks = new Map(sent.masks.map((mask) => [tailOf(mask.placeholder), mask]));
  }

  /** What may be hidden in the message at this position; undefined for anything. */
  at(position: number): MayHide | undefined {
    if (position >= this.#sent.messages) return undefined;
    return (placeholder) => {
      const mask = this.#masks.get(tailOf(placeholder));
      if (mask) return mask.from <= position;
      this.#note({ placeholder, from: this.#sent.messages, exposed: true, at: position });
      return false;
    };
  }

  /** A message at this position is sent with these placeholders for the first time. */
  hidden(position: number, placeholders: readonly string[]): void {
    if (position < this.#sent.messages) return;
    for (const placeholder of placeholders) {
      const known = this.#masks.get(tailOf(placeholder));
      if (!known || known.from > position) this.#note({ placeholder, from: position });
    }
  }

  /** Reports what is new. */
  report(): void {
    if (this.#fresh.size > 0) this.#sent.onMasked([...this.#fresh.values()]);
  }

  #note(mask: SecretMask & { at?: number }): void {
    const tail = tailOf(mask.placeholder);
    const noted = this.#fresh.get(tail);
    if (noted && (noted.exposed || noted.from <= mask.from)) return;
    this.#fresh.set(tail, mask);
  }
}

/** The placeholders in any plain value. */
function placeholdersOf(value: unknown): string[] {
  const text = JSON.stringify(value) ?? '';
  return text.includes('[secret:') ? [...new Set(text.match(PLACEHOLDER) ?? [])] : [];
}
