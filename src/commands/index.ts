import type { SlashCommand } from '../contract/command.ts';
import { cost } from './cost.ts';
import { exportSession } from './export.ts';
import { fork } from './fork.ts';
import { help } from './help.ts';
import { history } from './history.ts';
import { mode } from './mode.ts';
import { permissions } from './permissions.ts';
import { quit } from './quit.ts';
import { redo } from './redo.ts';
import { rename } from './rename.ts';
import { resume } from './resume.ts';
import { rewind } from './rewind.ts';
import { sessions } from './sessions.ts';
import { undo } from './undo.ts';

export const builtinCommands: readonly SlashCommand[] = [
  cost,
  exportSession,
  fork,
  help,
  history,
  mode,
  permissions,
  quit,
  redo,
  rename,
  resume,
  rewind,
  sessions,
  undo,
];
