import { singleQuoted } from '../../lib/text/shell-quote.ts';
import { quoted } from '../../plugins/arguments.ts';
import { fillTemplate, PLACEHOLDER, type Variables } from './template.ts';

/** What encloses a place in a command line, outermost first: quotes, `( … )` and `$( … )`, or backquotes. */
type Enclosing = ("'" | '"' | '(' | '`')[];

/**
 * Fills a command line for a POSIX shell: each value stays the text that it is, whether its placeholder has quotes
 * around it or not.
 */
export function fillCommand(command: string, variables: Variables): ReturnType<typeof fillTemplate> {
  const { missing } = fillTemplate(command, variables);
  const enclosing: Enclosing = [];
  let end = 0;
  const text = command.replaceAll(PLACEHOLDER, (placeholder, name: string, at: number) => {
    passOver(command, [end, at], enclosing);
    end = at + placeholder.length;
    return Object.hasOwn(variables, name) ? writtenIn(enclosing, variables[name] ?? '') : placeholder;
  });
  return { text, missing };
}

function writtenIn(enclosing: Enclosing, value: string): string {
  const inner = enclosing.at(-1);
  const written =
    inner === "'"
      ? singleQuoted(value).slice(1, -1)
      : inner === '"'
        ? value.replaceAll(/["$`\\]/g, '\\$&')
        : quoted(value);
  // Backquotes take one layer of backslashes away.
  const layers = enclosing.filter((one) => one === '`').length;
  return Array.from({ length: layers }).reduce<string>((text) => text.replaceAll(/[$`\\]/g, '\\$&'), written);
}

function passOver(text: string, [from, to]: [number, number], enclosing: Enclosing): void {
  for (let i = from; i < to; i++) {
    const sign = text[i] ?? '';
    const inner = enclosing.at(-1);
    if (inner === "'") {
      if (sign === "'") enclosing.pop();
    } else if (sign === '\\') i++;
    else if (inner === '"') {
      if (sign === '"') enclosing.pop();
      else if (sign === '`' || (sign === '(' && text[i - 1] === '$')) enclosing.push(sign);
    } else if (sign === '#' && /^$|[\s;&|()]/.test(text[i - 1] ?? '')) {
      const lineEnd = text.indexOf('\n', i);
      if (lineEnd === -1) return;
      i = lineEnd;
    } else if (sign === ')') {
      if (inner === '(') enclosing.pop();
    } else if (sign === '`' && inner === '`') enclosing.pop();
    else if (sign === "'" || sign === '"' || sign === '(' || sign === '`') enclosing.push(sign);
  }
}
