import type { SlashCommand } from '../contract/command.ts';
import { compareText } from '../lib/text/compare.ts';
import { addDir } from './add-dir.ts';
import { branch } from './branch.ts';
import { budget } from './budget.ts';
import { cache } from './cache.ts';
import { changes } from './changes.ts';
import { clear } from './clear.ts';
import { commit } from './commit.ts';
import { compact } from './compact.ts';
import { config } from './config.ts';
import { context } from './context.ts';
import { cost } from './cost.ts';
import { diag } from './diag.ts';
import { diff } from './diff.ts';
import { doctor } from './doctor.ts';
import { effort } from './effort.ts';
import { exportSession } from './export.ts';
import { fork } from './fork.ts';
import { type BuiltinGroup, builtinGroups } from './groups.ts';
import { help } from './help.ts';
import { history } from './history.ts';
import { importSettings } from './import.ts';
import { init } from './init.ts';
import { learned } from './learned.ts';
import { lsp } from './lsp.ts';
import { mcp } from './mcp.ts';
import { memory } from './memory.ts';
import { mode } from './mode.ts';
import { outputStyle } from './output-style.ts';
import { permissions } from './permissions.ts';
import { pin, unpin } from './pin.ts';
import { plan } from './plan.ts';
import { plugins } from './plugins.ts';
import { quit } from './quit.ts';
import { redo } from './redo.ts';
import { refresh } from './refresh.ts';
import { remember } from './remember.ts';
import { rename } from './rename.ts';
import { resume } from './resume.ts';
import { review } from './review.ts';
import { rewind } from './rewind.ts';
import { sessions } from './sessions.ts';
import { stats } from './stats.ts';
import { trust } from './trust.ts';
import { uncompact } from './uncompact.ts';
import { undo } from './undo.ts';
import { voice } from './voice.ts';

/** By their headings in `/help`. */
const groups: Record<BuiltinGroup, readonly SlashCommand[]> = {
  Conversation: [
    clear,
    compact,
    context,
    exportSession,
    fork,
    help,
    history,
    pin,
    quit,
    refresh,
    rename,
    resume,
    rewind,
    sessions,
    uncompact,
    unpin,
    voice,
  ],
  Changes: [branch, changes, commit, diff, redo, review, undo],
  Model: [budget, cache, cost, effort, outputStyle, stats],
  Project: [init, lsp, mcp, memory, plugins, remember],
  Safety: [addDir, mode, permissions, plan, learned, trust],
  Setup: [config, diag, doctor, importSettings],
};

/** By name. */
export const builtinCommands: readonly SlashCommand[] = builtinGroups
  .flatMap((group) => groups[group].map((command) => ({ ...command, group })))
  .sort((a, b) => compareText(a.name, b.name));
