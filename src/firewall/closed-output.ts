import type { NamedSecret } from './looks-secret.ts';
import { parseSecrets } from './parse-secrets.ts';

/**
 * The secrets in command output from protected files: those it names (`cat .env`, `git show HEAD~1:.env`),
 * those in a patch (`git log -p`), and those prefixed to each line (`git grep`, `grep -r`).
 */
export function closedOutput(
  { command, output }: { command: string; output: string },
  isClosed: (name: string) => boolean,
): NamedSecret[] {
  const named = namesIn(command).filter(isClosed);
  const parts = [...named.map((name) => ({ name, text: output })), ...patches(output), ...prefixed(output)];
  return parts.flatMap(({ name, text }) => (isClosed(name) ? parseSecrets(name, text) : []));
}

/** Words of a command that may be files, also after a revision as in `HEAD:.env`. */
function namesIn(command: string): string[] {
  const words = command.match(/[^\s'"`;|&()<>=]+/g) ?? [];
  return [...new Set(words.flatMap((word) => [word, word.slice(word.indexOf(':') + 1)]))];
}

function patches(output: string): { name: string; text: string }[] {
  if (!output.includes('\n+++ ') && !output.startsWith('+++ ')) return [];
  const found: { name: string; lines: string[] }[] = [];
  let removed = '';
  for (const line of output.split('\n')) {
    const [, sign, file] = /^(\+\+\+|---) (?:"?[abciow]\/)?([^\t"]+)/.exec(line) ?? [];
    if (sign === '---') removed = file ?? '';
    else if (sign === '+++') found.push({ name: file === '/dev/null' ? removed : (file ?? ''), lines: [] });
    else found.at(-1)?.lines.push(line.slice(1));
  }
  return found.map(({ name, lines }) => ({ name, text: lines.join('\n') }));
}

/** `.env:3:text` and `.env-3-text`; `HEAD:.env:3:text`. */
const PREFIXES = [
  /^([^\s:]{1,256})[:-](?:\d+[:-])?(.*)$/gm,
  /^[\w^~./-]{1,256}:([^\s:]{1,256}):(?:\d+:)?(.*)$/gm,
];

function prefixed(output: string): { name: string; text: string }[] {
  const lines = new Map<string, string[]>();
  for (const [, name = '', text = ''] of PREFIXES.flatMap((prefix) => [...output.matchAll(prefix)])) {
    const others = lines.get(name);
    if (others) others.push(text);
    else lines.set(name, [text]);
  }
  return [...lines].map(([name, texts]) => ({ name, text: texts.join('\n') }));
}
