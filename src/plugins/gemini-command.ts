import { parse, TomlError } from 'smol-toml';
import { quoted } from './arguments.ts';

/** A command of Gemini CLI: a TOML file. Null if it is none. */
export function parseGemini(text: string): { prompt: string; description: string } | null {
  try {
    const { prompt, description } = parse(text);
    if (typeof prompt !== 'string' || prompt.trim() === '') return null;
    return { prompt: prompt.trim(), description: typeof description === 'string' ? description : '' };
  } catch (error) {
    if (error instanceof TomlError) return null;
    throw error;
  }
}

const ARGUMENTS = /\{\{args\}\}/g;

/** `{{args}}` is what was typed; in a command it is one word. */
export function geminiArguments(body: string, typed: string) {
  return {
    missing: [],
    isUsed: body.includes('{{args}}'),
    inText: (text: string) => text.replaceAll(ARGUMENTS, () => typed),
    inCommand: (text: string) => text.replaceAll(ARGUMENTS, () => (typed === '' ? "''" : quoted(typed))),
  };
}

/** `!{command}` is replaced by its output, `@{path}` attaches a file. Braces inside must be balanced. */
export function* geminiPieces(body: string): Generator<{ type: 'text' | 'command'; text: string }> {
  let at = 0;
  for (const { index, 0: opening } of body.matchAll(/[!@]\{/g)) {
    const end = closingBrace(body, index + 1);
    if (index < at || end === null) continue;
    if (index > at) yield { type: 'text', text: body.slice(at, index) };
    const inner = body.slice(index + 2, end).trim();
    yield opening === '!{' ? { type: 'command', text: inner } : { type: 'text', text: `@"${inner}"` };
    at = end + 1;
  }
  if (at < body.length) yield { type: 'text', text: body.slice(at) };
}

/** The place of the brace that closes the one at `from`; null if there is none. */
function closingBrace(text: string, from: number): number | null {
  let depth = 0;
  for (let i = from; i < text.length; i++) {
    if (text[i] === '{') depth++;
    if (text[i] === '}' && --depth === 0) return i;
  }
  return null;
}
