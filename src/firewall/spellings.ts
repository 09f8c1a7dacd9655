import { SHORTEST } from './looks-secret.ts';

export type Spelling = { how: string; text: string };

/**
 * How a value may appear in tool output: unchanged, and in encodings that a single command produces. Inside a
 * longer base64 text a value has one of three forms; characters shared with its neighbours are left out.
 */
export function spellingsOf(value: string): Spelling[] {
  const bytes = Buffer.from(value, 'utf8');
  const hex = bytes.toString('hex');
  const percent = encodeURIComponent(value);
  const everyByte = hex.replaceAll(/../g, (pair) => `%${pair}`);
  const spellings: Spelling[] = [
    { how: '', text: value },
    { how: 'json', text: JSON.stringify(value).slice(1, -1) },
    { how: 'url', text: percent },
    { how: 'url', text: percent.replaceAll(/%../g, (code) => code.toLowerCase()) },
    { how: 'url', text: percent.replaceAll('%20', '+') },
    { how: 'url', text: everyByte },
    { how: 'url', text: everyByte.toUpperCase() },
    { how: 'hex', text: hex },
    { how: 'hex', text: hex.toUpperCase() },
    { how: 'reversed', text: [...value].reverse().join('') },
    ...[0, 1, 2].flatMap((offset) => {
      const core = base64Core(bytes, offset);
      return [
        { how: 'base64', text: core },
        { how: 'base64', text: core.replaceAll('+', '-').replaceAll('/', '_') },
      ];
    }),
  ];
  const seen = new Set<string>();
  return spellings.filter(({ text }) => {
    if (text.length < SHORTEST || seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}

function base64Core(bytes: Uint8Array, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  const start = Math.ceil((offset * 8) / 6);
  const end = Math.floor(((offset + bytes.length) * 8) / 6);
  return text.slice(start, end);
}
