import type { CodeIntelligence } from '../contract/code-intelligence.ts';
import type { Tool } from '../contract/tool.ts';
import { applyPatch } from './apply-patch.ts';
import { askUser } from './ask-user.ts';
import { type BashOptions, createBash } from './bash.ts';
import { bashOutput } from './bash-output.ts';
import { remove } from './delete.ts';
import { createDiagnostics } from './diagnostics.ts';
import { edit } from './edit.ts';
import { explore } from './explore.ts';
import { glob } from './glob.ts';
import { grep } from './grep.ts';
import { killShell } from './kill-shell.ts';
import { list } from './list.ts';
import { multiEdit } from './multi-edit.ts';
import { createNavigate } from './navigate.ts';
import { presentPlan } from './present-plan.ts';
import { read } from './read.ts';
import { createRecall, type RecallSearch } from './recall.ts';
import { createRenameSymbol } from './rename-symbol.ts';
import { search } from './search.ts';
import { type AgentChoice, createTask } from './task.ts';
import { todo } from './todo.ts';
import { webFetch } from './web-fetch.ts';
import { createWebSearch, type SearchWeb } from './web-search.ts';
import { write } from './write.ts';

/** In the order the model sees them; most needed first. */
export function builtinTools(
  options: BashOptions & {
    recall?: RecallSearch | null;
    agents?: readonly AgentChoice[];
    search?: SearchWeb;
    /** Null if no language server is installed for this project. */
    code?: CodeIntelligence | null;
  } = {},
): readonly Tool[] {
  const {
    recall = async () => [],
    agents = [],
    search: searchWeb = notSetUp,
    code = noServer,
    ...bash
  } = options;
  return [
    ...[read, edit, write, multiEdit, applyPatch, glob, grep, search, list],
    ...[createBash(bash), bashOutput, killShell, remove, webFetch],
    ...[createWebSearch(searchWeb), todo, askUser, presentPlan],
    ...[explore, createTask(agents)],
    ...(recall ? [createRecall(recall)] : []),
    ...(code ? [createDiagnostics(code), createNavigate(code), createRenameSymbol(code)] : []),
  ];
}

const nothing = async () => ({ error: 'No language server is installed.' });

const noServer: CodeIntelligence = {
  diagnostics: async (path) => ({ path, type: 'unknown', because: 'no language server is installed' }),
  definition: nothing,
  references: nothing,
  outline: nothing,
  symbols: nothing,
  rename: nothing,
};

const notSetUp: SearchWeb = async () => 'Web search is not set up.';
