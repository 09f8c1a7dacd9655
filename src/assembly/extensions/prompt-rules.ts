import { UserError } from '../../contract/errors.ts';
import type { PromptRules } from '../../contract/permission.ts';
import { splitRules } from '../../contract/rule-syntax.ts';
import { fieldLine, parseFrontMatter, textField } from '../../lib/text/front-matter.ts';
import type { WrittenFile } from '../../plugins/key-notices.ts';
import type { RuleCheck } from '../safety/rule-check.ts';

const KEYS = { 'allowed-tools': 'allow', 'disallowed-tools': 'deny' } as const;

/** The rules as a skill or command lists them, separated by commas, spaces or lines. */
export function listedRules({ text }: Pick<WrittenFile, 'text'>): Pick<PromptRules, 'allow' | 'deny'> {
  const matter = parseFrontMatter(text);
  const listed = (key: keyof typeof KEYS) => splitRules(textField(matter, key) ?? '');
  return { allow: listed('allowed-tools'), deny: listed('disallowed-tools') };
}

/**
 * The rules of a skill or command, and what is wrong with them. What is not a rule allows nothing; null if it was
 * to restrict something: a file whose limits cannot be understood is not used.
 */
export function checkedRules(
  file: WrittenFile,
  by: string,
  check: RuleCheck,
): { rules: { rules?: PromptRules } | null; troubles: string[] } {
  const listed = listedRules(file);
  const troubles: string[] = [];
  const rules = { by, allow: [] as string[], deny: [] as string[] };
  let isBroken = false;
  for (const [key, verdict] of Object.entries(KEYS)) {
    for (const rule of listed[verdict]) {
      const place = `${file.file}:${fieldLine(file.text, key, rule)}`;
      try {
        const problem = check({ verdict, rule, place });
        const restrictsWrongly = problem?.restrictsNothing === true && problem.isMisspelt;
        isBroken ||= restrictsWrongly;
        if (problem !== null)
          troubles.push(`${problem.text}${restrictsWrongly ? ' The file is not used.' : ''}`);
        rules[verdict].push(rule);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        isBroken ||= verdict === 'deny';
        const effect = verdict === 'deny' ? 'The file is not used.' : 'It allows nothing.';
        troubles.push(`${place}: ${key}: ${error.message} ${effect}`);
      }
    }
  }
  const hasAny = rules.allow.length + rules.deny.length > 0;
  return { rules: isBroken ? null : hasAny ? { rules } : {}, troubles };
}
