import { homedir } from 'node:os';
import path from 'node:path';
import { Controller, type SessionLog } from '../agent/controller.ts';
import type { Run } from '../agent/loop.ts';
import { type RouterDeps, runTools } from '../agent/tool-router.ts';
import type { Config } from '../config/schema.ts';
import { type ShortenLevel, shortenView } from '../context/shorten.ts';
import { systemPrompt } from '../context/system-prompt.ts';
import { ContextOverflowError } from '../contract/errors.ts';
import type { Approver } from '../contract/permission.ts';
import type { CompletionRequest, Provider } from '../contract/provider.ts';
import type { ToolContext } from '../contract/tool.ts';
import { readTextIfAny } from '../lib/read-text.ts';
import { createGate } from '../permissions/gate.ts';
import { parsePattern } from '../permissions/pattern.ts';
import { estimateTokens } from '../providers/estimate.ts';
import { costOf } from '../providers/models.ts';
import { createFiles } from '../sandbox/files.ts';
import { createGuard } from '../sandbox/guard.ts';
import { createSearch } from '../sandbox/search.ts';
import { createHostShell } from '../sandbox/shell.ts';
import { headerOf, type OpenSession } from '../session/store.ts';
import { UndoStore } from '../session/undo.ts';
import { builtinTools } from '../tools/index.ts';
import { createRegistry } from '../tools/registry.ts';
import type { Choice } from './choose-model.ts';

export type Parts = {
  config: Config;
  env: NodeJS.ProcessEnv;
  cwd: string;
  dataRoot: string;
  trusted: boolean;
  choice: Choice;
  provider: Provider;
  /** Environment variables that hold keys: commands the model runs do not see them. */
  keyVariables: readonly string[];
  opened: OpenSession;
  /** Absent when nobody is there to be asked. */
  approver?: Approver;
};

/** `close` ends the run, saves the session, and ends what commands left running. */
export type Assistant = { controller: Controller; undo: UndoStore; close(): Promise<void> };

/** The one place where parts are made and handed to each other. */
export function assemble(parts: Parts): Assistant {
  const { config, cwd, dataRoot, choice, opened } = parts;
  const { session } = opened;
  const undo = new UndoStore(path.join(dataRoot, 'undo', session.id));
  const hands = makeHands(parts, undo);
  const { allow, ask, deny } = config.permissions;
  // A rule nobody can read must be said now, not at the first call it was meant for.
  for (const rule of [...allow, ...ask, ...deny]) parsePattern(rule);
  const registry = createRegistry(builtinTools);
  const tools = registry.definitions();
  const gate = createGate({
    policy: () => ({
      mode: config.mode,
      cwd,
      rules: config.permissions,
      grants: session.permissions,
      requireApprovalForReads: config.requireApprovalForReads,
      requireApprovalForWrites: config.requireApprovalForWrites,
      requireApprovalForCommands: config.requireApprovalForCommands,
      blockedCommands: config.blockedCommands,
      trusted: parts.trusted,
      isInside: (target: string) => hands.guard.isInside(target),
    }),
    ...(parts.approver && { approver: parts.approver }),
    onGrant: (permission) => controller.remember(permission),
  });
  const deps: RouterDeps = {
    find: (name) => registry.find(name),
    toolNames: () => registry.list().map((tool) => tool.name),
    decide: (request, options) => gate.decide(request, options),
    context: hands.context,
  };
  const settings = {
    ...(config.maxTokens !== undefined && { maxTokens: config.maxTokens }),
    ...(config.temperature !== undefined && { temperature: config.temperature }),
    ...(config.effort !== undefined && { effort: config.effort }),
  };

  // Read once: the system prompt must not change within a session, or the vendor's prompt cache is lost.
  let instructions: Promise<{ file: string; text: string }[]> | undefined;
  const prepareRun = async (): Promise<Omit<Run, 'history' | 'signal'>> => {
    undo.beginRun();
    instructions ??= readInstructions(cwd, dataRoot);
    const surroundings = {
      cwd,
      platform: process.platform,
      shell: hands.shell.name,
      mode: config.mode,
      instructions: await instructions,
    };
    const base: Omit<CompletionRequest, 'messages'> = {
      model: choice.model,
      system: systemPrompt(surroundings),
      tools,
      cacheKey: session.id,
      ...settings,
    };
    let level: ShortenLevel = 0;
    return {
      provider: choice.preset.name,
      model: choice.model,
      ask: (history, signal) =>
        parts.provider.stream({ ...base, messages: shortenView(history, level) }, signal),
      act: (calls, signal) => runTools(calls, deps, signal),
      shorten: () => {
        if (level === 2) {
          const messages = shortenView(session.messages, level);
          return new ContextOverflowError(estimateTokens({ ...base, messages }), choice.info.contextWindow);
        }
        level = level === 0 ? 1 : 2;
        return null;
      },
      costOf: (usage) => costOf(usage, choice.info),
      maxTurns: config.maxTurns,
    };
  };

  const controller = new Controller({
    session,
    log: config.saveHistory ? sessionLog(opened) : forgetful,
    provider: choice.preset.name,
    model: choice.model,
    contextWindow: choice.info.contextWindow,
    prepareRun,
  });
  return {
    controller,
    undo,
    close: async () => {
      await controller.close();
      await hands.shell.close();
    },
  };
}

function makeHands({ config, env, cwd, keyVariables }: Parts, undo: UndoStore) {
  const guard = createGuard({
    cwd,
    additionalDirectories: config.additionalDirectories,
    blockedPaths: config.blockedPaths,
    allowedPaths: config.allowedPaths,
    home: homedir(),
  });
  const files = createFiles({ guard, cwd, onBeforeWrite: (change) => undo.keep(change) });
  const shell = createHostShell({ cwd, env, hiddenEnv: keyVariables });
  const search = createSearch({ guard, cwd });
  const seen = new Map<string, string>();
  const context = (signal: AbortSignal, progress: (text: string) => void): ToolContext => ({
    cwd,
    files,
    shell,
    search,
    seen,
    signal,
    progress,
  });
  return { guard, context, shell };
}

/** Writes each record through; the header goes first. */
function sessionLog({ session, journal }: OpenSession): SessionLog {
  let begun = session.messages.length > 0;
  return {
    async message(message) {
      if (!begun) {
        begun = true;
        await journal.append(headerOf(session));
      }
      await journal.append({ type: 'message', message });
    },
    grant: (permission) => journal.append({ type: 'grant', permission }),
    close: () => journal.close(),
  };
}

const forgetful: SessionLog = {
  message: async () => undefined,
  grant: async () => undefined,
  close: async () => undefined,
};

async function readInstructions(cwd: string, dataRoot: string): Promise<{ file: string; text: string }[]> {
  const files = [path.join(dataRoot, 'AGENTS.md'), path.join(cwd, 'AGENTS.md')];
  const texts = await Promise.all(files.map(async (file) => ({ file, text: await readTextIfAny(file) })));
  return texts.flatMap(({ file, text }) => (text === null ? [] : [{ file, text }]));
}
