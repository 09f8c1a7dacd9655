import type { SlashCommand } from '../contract/command.ts';
import { cost } from './cost.ts';
import { help } from './help.ts';
import { quit } from './quit.ts';
import { undo } from './undo.ts';

export const builtinCommands: readonly SlashCommand[] = [cost, help, quit, undo];
