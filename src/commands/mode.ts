import type { SlashCommand } from '../contract/command.ts';
import type { PermissionMode } from '../contract/permission.ts';
import { didYouMean } from '../lib/text/nearest.ts';

/** What each means, from strictest to loosest. */
export const MODES: Record<PermissionMode, string> = {
  'read-only': 'nothing is changed',
  plan: 'nothing is changed; the model looks around and makes a plan',
  default: 'changes and commands are asked about',
  'accept-edits': 'edits in the working directory are free, and commands that the sandbox contains',
  auto: 'nothing is asked: what is not contained is refused',
};

export const mode: SlashCommand = {
  name: 'mode',
  description: 'Show or change what may happen without asking: /mode plan',
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
    print(`The mode is ${name} now: ${MODES[name]}.`);
  },
};
