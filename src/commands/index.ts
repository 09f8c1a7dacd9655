import type { SlashCommand } from '../contract/command.ts';
import { branch } from './branch.ts';
import { budget } from './budget.ts';
import { cache } from './cache.ts';
import { clear } from './clear.ts';
import { commit } from './commit.ts';
import { compact } from './compact.ts';
import { config } from './config.ts';
import { context } from './context.ts';
import { cost } from './cost.ts';
import { diag } from './diag.ts';
import { diff } from './diff.ts';
import { doctor } from './doctor.ts';
import { exportSession } from './export.ts';
import { fork } from './fork.ts';
import { help } from './help.ts';
import { history } from './history.ts';
import { init } from './init.ts';
import { mcp } from './mcp.ts';
import { memory } from './memory.ts';
import { mode } from './mode.ts';
import { permissions } from './permissions.ts';
import { pin, unpin } from './pin.ts';
import { plan } from './plan.ts';
import { plugins } from './plugins.ts';
import { quit } from './quit.ts';
import { redo } from './redo.ts';
import { remember } from './remember.ts';
import { rename } from './rename.ts';
import { resume } from './resume.ts';
import { review } from './review.ts';
import { rewind } from './rewind.ts';
import { sessions } from './sessions.ts';
import { stats } from './stats.ts';
import { suggestRules } from './suggest-rules.ts';
import { uncompact } from './uncompact.ts';
import { undo } from './undo.ts';

export const builtinCommands: readonly SlashCommand[] = [
  branch,
  budget,
  cache,
  clear,
  commit,
  compact,
  config,
  context,
  cost,
  diag,
  diff,
  doctor,
  exportSession,
  fork,
  help,
  history,
  init,
  mcp,
  memory,
  mode,
  permissions,
  pin,
  plan,
  plugins,
  quit,
  redo,
  remember,
  rename,
  resume,
  review,
  rewind,
  sessions,
  stats,
  suggestRules,
  uncompact,
  undo,
  unpin,
];
