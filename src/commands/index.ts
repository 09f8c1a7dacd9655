import type { SlashCommand } from '../contract/command.ts';
import { budget } from './budget.ts';
import { cache } from './cache.ts';
import { compact } from './compact.ts';
import { context } from './context.ts';
import { cost } from './cost.ts';
import { exportSession } from './export.ts';
import { fork } from './fork.ts';
import { help } from './help.ts';
import { history } from './history.ts';
import { memory } from './memory.ts';
import { mode } from './mode.ts';
import { permissions } from './permissions.ts';
import { pin, unpin } from './pin.ts';
import { quit } from './quit.ts';
import { redo } from './redo.ts';
import { remember } from './remember.ts';
import { rename } from './rename.ts';
import { resume } from './resume.ts';
import { rewind } from './rewind.ts';
import { sessions } from './sessions.ts';
import { suggestRules } from './suggest-rules.ts';
import { uncompact } from './uncompact.ts';
import { undo } from './undo.ts';

export const builtinCommands: readonly SlashCommand[] = [
  budget,
  cache,
  compact,
  context,
  cost,
  exportSession,
  fork,
  help,
  history,
  memory,
  mode,
  permissions,
  pin,
  quit,
  redo,
  remember,
  rename,
  resume,
  rewind,
  sessions,
  suggestRules,
  uncompact,
  undo,
  unpin,
];
