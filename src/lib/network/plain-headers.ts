const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
const OUTER_SPACE = /^[\t\n\r ]+|[\t\n\r ]+$/g;

/**
 * The standard's `Headers`, without the rest of the runtime's `fetch`: to touch the runtime's own for the first time
 * costs 20 ms. Wherever headers are taken, these are; `instanceof` answers for both.
 */
export class PlainHeaders implements Headers {
  readonly #fields = new Map<string, string[]>();

  static [Symbol.hasInstance](value: unknown): boolean {
    return Object.prototype.toString.call(value) === '[object Headers]';
  }

  constructor(init?: HeadersInit) {
    for (const [name, value] of pairsOf(init)) this.append(name, value);
  }

  get [Symbol.toStringTag](): string {
    return 'Headers';
  }

  append(name: string, value: string): void {
    const key = keyOf(name);
    this.#fields.set(key, [...(this.#fields.get(key) ?? []), carried(value)]);
  }

  set(name: string, value: string): void {
    this.#fields.set(keyOf(name), [carried(value)]);
  }

  delete(name: string): void {
    this.#fields.delete(keyOf(name));
  }

  has(name: string): boolean {
    return this.#fields.has(keyOf(name));
  }

  get(name: string): string | null {
    return this.#fields.get(keyOf(name))?.join(', ') ?? null;
  }

  getSetCookie(): string[] {
    return [...(this.#fields.get('set-cookie') ?? [])];
  }

  forEach(visit: (value: string, name: string, parent: Headers) => void, self?: unknown): void {
    for (const [name, value] of this) visit.call(self, value, name, this);
  }

  /** By name; cookies one by one, everything else joined. */
  *entries(): Generator<[string, string], undefined> {
    for (const name of [...this.#fields.keys()].sort()) {
      const values = this.#fields.get(name) ?? [];
      if (name === 'set-cookie') for (const value of values) yield [name, value];
      else yield [name, values.join(', ')];
    }
  }

  *keys(): Generator<string, undefined> {
    for (const [name] of this) yield name;
  }

  *values(): Generator<string, undefined> {
    for (const [, value] of this) yield value;
  }

  [Symbol.iterator](): Generator<[string, string], undefined> {
    return this.entries();
  }
}

function pairsOf(init: HeadersInit | undefined): Iterable<readonly [string, string]> {
  if (init === undefined) return [];
  if (typeof init !== 'object' || init === null)
    throw new TypeError('Headers are made of an object or of pairs.');
  if (!(Symbol.iterator in init)) return Object.entries(init);
  return Array.from<Iterable<string>, [string, string]>(init, (pair) => {
    const [name, value, ...more] = pair;
    if (name === undefined || value === undefined || more.length > 0)
      throw new TypeError('A header is a pair of a name and a value.');
    return [name, value];
  });
}

function keyOf(name: string): string {
  if (!TOKEN.test(name)) throw new TypeError(`"${name}" is no name for a header.`);
  return String(name).toLowerCase();
}

function carried(value: string): string {
  const text = String(value).replace(OUTER_SPACE, '');
  if (/[\0\n\r]|[^\0-\xff]/.test(text)) throw new TypeError('A header holds a character it cannot carry.');
  return text;
}
