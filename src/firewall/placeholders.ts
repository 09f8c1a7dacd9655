import { createHmac } from 'node:crypto';

/** Placeholders and the hidden texts they stand for. */
export type Placeholders = {
  /** Stable for the same text in every session with this key; not reversible without the key. */
  placeholderFor(text: string, name: string): string;
  /** Undefined for placeholders that this process has not created. */
  meaningOf(placeholder: string): string | undefined;
  /** Uses this placeholder for its text, whatever name the text has here: another process sent it. */
  adopt(placeholder: string): void;
};

export const PLACEHOLDER = /\[secret:[\w.-]{1,64}:[0-9a-f]{8}\]/g;

export function createPlaceholders(key: () => string): Placeholders {
  const byText = new Map<string, string>();
  const meanings = new Map<string, string>();
  const adopted = new Map<string, string>();
  let hmacKey: string | undefined;
  return {
    placeholderFor(text, name) {
      const known = byText.get(text);
      if (known !== undefined) return known;
      hmacKey ??= key();
      const tail = createHmac('sha256', hmacKey).update(text).digest('hex').slice(0, 8);
      const placeholder = adopted.get(tail) ?? `[secret:${plainName(name)}:${tail}]`;
      byText.set(text, placeholder);
      meanings.set(placeholder, text);
      return placeholder;
    },
    meaningOf: (placeholder) => meanings.get(placeholder),
    adopt(placeholder) {
      const tail = placeholder.slice(-9, -1);
      if (adopted.get(tail) === placeholder) return;
      adopted.set(tail, placeholder);
      byText.clear();
    },
  };
}

function plainName(name: string): string {
  return (
    name
      .replaceAll(/[^\w.-]+/g, '_')
      .replaceAll(/^_+|_+$/g, '')
      .slice(0, 48) || 'value'
  );
}
