import type { Command } from 'commander';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { placesOf } from './places.ts';
import { powershellScript } from './powershell.ts';
import { type Tables, tablesOf } from './tables.ts';
import { zshScript } from './zsh.ts';

const writers: Record<Shell, (tables: Tables) => string> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
};

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

/** The completion script for a shell. */
export function completionScript(shell: Shell, program: Command, commands: readonly Command[]): string {
  return writers[shell](tablesOf(placesOf(program, commands)));
}
