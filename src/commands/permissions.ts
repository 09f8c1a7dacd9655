import type { PermissionState, SlashCommand } from '../contract/command.ts';
import type { Permission } from '../contract/permission.ts';

export const permissions: SlashCommand = {
  name: 'permissions',
  description: 'List permission rules and remembered answers; /permissions forget 1, or forget all',
  async execute([verb, which], { permissions, mode, print }) {
    if (verb === undefined) return print(listing(permissions, mode.get()));
    if (verb !== 'forget' || which === undefined)
      return print(
        'Use /permissions to list them, or /permissions forget with a number from the list or "all".',
      );

    const entries = entriesOf(permissions);
    const chosen = which === 'all' ? entries : entries.filter((_, i) => String(i + 1) === which);
    if (chosen.length === 0) return print(`There is no remembered answer ${which}. See /permissions.`);
    for (const { forget } of chosen) await forget();
    print(chosen.map(({ text }) => `forgotten: ${text}`).join('\n'));
  },
};

type Entry = { text: string; forget(): Promise<void> | void };

/** What can be removed, in the order of the list. */
export function entriesOf(standing: PermissionState): Entry[] {
  return [
    ...standing.grants().map((grant) => ({
      text: `${grant.action} ${grant.pattern} (${scopeOf(grant)})`,
      forget: () => standing.forgetGrant(grant),
    })),
    ...standing.denials().map(({ key, operation, because }) => ({
      text: `deny ${operation} (${because}; this session)`,
      forget: () => standing.forgetDenial(key),
    })),
  ];
}

function scopeOf({ scope }: Permission): string {
  return scope === 'always' ? 'always, in this folder' : 'this session';
}

function listing(standing: PermissionState, mode: string): string {
  const rules = standing.rules().map(({ verdict, pattern }) => `  ${verdict.padEnd(5)} ${pattern}`);
  const entries = entriesOf(standing).map(({ text }, i) => `  ${i + 1}. ${text}`);
  return [
    `Mode: ${mode}`,
    rules.length > 0 ? 'Rules in your settings:' : 'No rules in your settings.',
    ...rules,
    entries.length > 0 ? 'Remembered answers:' : 'No remembered answers.',
    ...entries,
  ].join('\n');
}
