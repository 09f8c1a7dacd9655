import { createHmac } from 'node:crypto';

/** What a thinking block is bound to. The digests are short: they only have to differ. */
export type Binding = {
  /** `thinking`, `redacted` or `compaction`. */
  kind: 'thinking' | 'redacted' | 'compaction';
  model: string;
  account: string;
  /** The system prompt, the tools, and everything in the messages before the block. */
  system: string;
  tools: string;
  messages: string;
  /** The thinking block before it, or an empty text. */
  previous: string;
  /** The text that was sent with it, or an empty text if that was hidden. */
  text: string;
  /** The role of the last message before the block. */
  lastRole: string;
};

const FIELDS = [
  'kind',
  'model',
  'account',
  'system',
  'tools',
  'messages',
  'previous',
  'text',
  'lastRole',
] as const satisfies (keyof Binding)[];
const KEY = 'scripted';

/** The state is in the signature itself, so that every process can verify it. */
export function encodeSignature(binding: Binding): string {
  const payload = FIELDS.map((field) => binding[field]).join('\n');
  return Buffer.from(`${macOf(payload)}\n${payload}`).toString('base64');
}

/** Undefined if nothing this server made looks like it. */
export function decodeSignature(signature: unknown): Binding | undefined {
  if (typeof signature !== 'string') return undefined;
  const [mac, ...values] = Buffer.from(signature, 'base64').toString().split('\n');
  if (values.length !== FIELDS.length || mac !== macOf(values.join('\n'))) return undefined;
  // The code proves that these are the values that were encoded.
  return Object.fromEntries(FIELDS.map((field, i) => [field, values[i]])) as Binding;
}

function macOf(payload: string): string {
  return createHmac('sha256', KEY).update(payload).digest('base64').slice(0, 16);
}

export function digest(value: unknown): string {
  return createHmac('sha256', KEY).update(JSON.stringify(value)).digest('base64').slice(0, 12);
}
