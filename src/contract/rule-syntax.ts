import { UserError } from './errors.ts';

/** A permission rule: `name` or `name(specifier)`. `text` is the rule without spaces around it. */
type Rule = { text: string; name: string; specifier: string | null };

const SYNTAX = /^([A-Za-z*][\w*-]*)(?:\(([\s\S]*)\))?$/;
const MCP_SYNTAX = /^mcp:(\*|[^\s():*]+(:(\*|[^\s()*]+))?)$/;
const EXAMPLES =
  'Examples: Bash(git log *), Read(src/**), Edit(docs/*.md), WebFetch(domain:nodejs.org), mcp:github:*.';

/** Throws a `UserError` if the text is not a rule; whether there is such a tool is not checked. */
export function parseRule(source: string): Rule {
  const text = source.trim();
  if (MCP_SYNTAX.test(text)) return { text, name: text, specifier: null };
  const [, name, specifier] = SYNTAX.exec(text) ?? [];
  if (name === undefined) throw new UserError(`"${source}" is not a permission rule.`, EXAMPLES);
  if (specifier?.trim() === '') {
    throw new UserError(
      `The rule "${source}" has empty parentheses.`,
      `${EXAMPLES} Use ${name} alone to match everything.`,
    );
  }
  if (/^~[^/]/.test(specifier ?? '') && name !== 'Bash') {
    throw new UserError(
      `The rule "${source}" starts with the home folder of another user.`,
      'Use ~/ for your own home folder, // for an absolute path, or ./ for a name that starts with ~.',
    );
  }
  return { text, name, specifier: specifier ?? null };
}

/** Rules separated by commas or spaces, such as `Bash(git *), Edit`. */
export function splitRules(list: string): string[] {
  const rules: string[] = [];
  let depth = 0;
  let rule = '';
  for (const character of list) {
    if (character === '(') depth++;
    if (character === ')') depth = Math.max(0, depth - 1);
    if (depth === 0 && /[\s,]/.test(character)) {
      rules.push(rule);
      rule = '';
    } else rule += character;
  }
  return [...rules, rule].filter((one) => one !== '');
}
