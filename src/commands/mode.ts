import type { SlashCommand } from '../contract/command.ts';
import type { PermissionMode } from '../contract/permission.ts';
import { didYouMean } from '../lib/text/nearest.ts';

/** What each mode means, from strictest to loosest. */
export const MODES: Record<PermissionMode, string> = {
  'read-only': 'no files are changed',
  plan: 'no files are changed; the model explores and makes a plan',
  default: 'asks before changes and commands',
  'accept-edits': 'edits in this folder and sandboxed commands run without asking',
  auto: 'never asks; anything outside the sandbox is refused',
};

export const mode: SlashCommand = {
  name: 'mode',
  forGuests: true,
  description: 'Show or switch the permission mode: /mode plan',
  async execute([wanted], { mode, print }) {
    const names = Object.keys(MODES) as PermissionMode[];
    if (wanted === undefined) {
      const width = Math.max(...names.map((name) => name.length));
      const lines = names.map(
        (name) => `${name === mode.get() ? '*' : ' '} ${name.padEnd(width)}  ${MODES[name]}`,
      );
      return print(lines.join('\n'));
    }
    const name = names.find((one) => one === wanted.toLowerCase());
    if (!name) return print(`There is no mode ${wanted}.${didYouMean(wanted, names)} /mode lists them.`);
    mode.set(name);
    print(`Mode: ${name} (${MODES[name]}).`);
  },
};
