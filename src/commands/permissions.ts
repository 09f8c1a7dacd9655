import type { PermissionRule, PermissionState, SlashCommand } from '../contract/command.ts';
import { UserError } from '../contract/errors.ts';
import type { Permission } from '../contract/permission.ts';
import { exactLine } from '../lib/text/visible-text.ts';

const LISTS = ['allow', 'ask', 'deny', 'trust'] as const;

export const permissions: SlashCommand = {
  name: 'permissions',
  description:
    'List rules and remembered answers; /permissions allow RULE (or ask, deny, trust) adds one, /permissions forget 1 removes one',
  async execute([verb, ...words], { permissions, mode, print }) {
    if (verb === undefined) return print(listing(permissions, mode.get()));
    const rule = ruleIn([verb, ...words].join(' '));
    if (rule) return print(await addRule(rule, permissions));
    const [which] = words;
    if (verb !== 'forget' || which === undefined)
      return print(
        'Use /permissions to list them, /permissions allow, ask, deny or trust with a rule, or /permissions forget with a number from the list or "all".',
      );

    const entries = entriesOf(permissions);
    const chosen = which === 'all' ? entries : entries.filter((_, i) => String(i + 1) === which);
    if (chosen.length === 0) return print(`There is no entry ${which}. See /permissions.`);
    for (const { forget } of chosen) await forget();
    print(chosen.map(({ text }) => `removed: ${text}`).join('\n'));
  },
};

/** A line such as `allow Bash(npm run *)`; null if it is not one. */
export function ruleIn(line: string): PermissionRule | null {
  const [, word = '', pattern = ''] = /^\s*(\w+)\s+(.+?)\s*$/s.exec(line) ?? [];
  const verdict = LISTS.find((one) => one === word.toLowerCase());
  // Quoted as for a shell.
  return verdict ? { verdict, pattern: pattern.replace(/^(['"])(.*)\1$/s, '$2') } : null;
}

/** Adds a rule for this session. Resolves with what to tell the user. */
export async function addRule(rule: PermissionRule, standing: PermissionState): Promise<string> {
  try {
    const warnings = await standing.addRule(rule);
    return [`Added for this session: ${rule.verdict} ${rule.pattern}`, ...warnings].join('\n');
  } catch (error) {
    if (error instanceof UserError) return `${error.message} ${error.hint}`;
    throw error;
  }
}

type Entry = { text: string; forget(): Promise<void> | void };

/** What can be removed, in the order of the list. */
export function entriesOf(standing: PermissionState): Entry[] {
  return [
    ...standing.addedRules().map((rule) => ({
      text: exactLine(`${rule.verdict} ${rule.pattern} (rule, this session)`),
      forget: () => standing.removeRule(rule),
    })),
    ...standing.grants().map((grant) => ({
      text: exactLine(`${grant.action} ${grant.pattern} (${scopeOf(grant)})`),
      forget: () => standing.forgetGrant(grant),
    })),
    ...standing.denials().map(({ key, operation, because }) => ({
      text: exactLine(`deny ${operation} (${because}; this session)`),
      forget: () => standing.forgetDenial(key),
    })),
  ];
}

function scopeOf({ scope }: Permission): string {
  return scope === 'always' ? 'always, in this folder' : 'this session';
}

/** The rules of skills and commands in use, which end with the run. */
export function passingRules(standing: PermissionState): { text: string; by: string }[] {
  return standing
    .promptRules()
    .flatMap(({ by, allow, deny }) => [
      ...allow.map((pattern) => ({ text: exactLine(`allow ${pattern}`), by })),
      ...deny.map((pattern) => ({ text: exactLine(`deny ${pattern}`), by })),
    ]);
}

function listing(standing: PermissionState, mode: string): string {
  const rules = standing
    .rules()
    .map(({ verdict, pattern }) => `  ${verdict.padEnd(5)} ${exactLine(pattern)}`);
  const passing = passingRules(standing).map(({ text, by }) => `  ${text} (${by})`);
  const entries = entriesOf(standing).map(({ text }, i) => `  ${i + 1}. ${text}`);
  return [
    `Mode: ${mode}`,
    rules.length > 0 ? 'Rules in your settings:' : 'No rules in your settings.',
    ...rules,
    ...(passing.length > 0 ? ['Until this run ends:', ...passing] : []),
    entries.length > 0 ? 'Rules of this session and remembered answers:' : 'No remembered answers.',
    ...entries,
  ].join('\n');
}
