import { homedir } from 'node:os';
import path from 'node:path';
import { Answers } from '../agent/answers.ts';
import { Controller, type SessionLog } from '../agent/controller.ts';
import { callsOf } from '../agent/history.ts';
import type { Run } from '../agent/loop.ts';
import { type RouterDeps, runTools } from '../agent/tool-router.ts';
import type { Config } from '../config/schema.ts';
import { type ShortenLevel, shortenView } from '../context/shorten.ts';
import { systemPrompt } from '../context/system-prompt.ts';
import { ContextOverflowError } from '../contract/errors.ts';
import type { Message } from '../contract/message.ts';
import type { Approver } from '../contract/permission.ts';
import type { CompletionRequest, Provider } from '../contract/provider.ts';
import type { Todo, ToolContext } from '../contract/tool.ts';
import { writeAtomic } from '../lib/atomic-write.ts';
import { readTextIfAny } from '../lib/read-text.ts';
import { createGate } from '../permissions/gate.ts';
import { parsePattern } from '../permissions/pattern.ts';
import { classify } from '../permissions/shell/classify.ts';
import { estimateTokens } from '../providers/estimate.ts';
import { costOf } from '../providers/models.ts';
import { createFiles } from '../sandbox/files.ts';
import { createGuard } from '../sandbox/guard.ts';
import { createSearch } from '../sandbox/search.ts';
import { createHostShell } from '../sandbox/shell.ts';
import { createWeb, type WebOptions } from '../sandbox/web.ts';
import { headerOf, type OpenSession } from '../session/store.ts';
import { UndoStore } from '../session/undo.ts';
import { builtinTools } from '../tools/index.ts';
import { createRegistry } from '../tools/registry.ts';
import { todo } from '../tools/todo.ts';
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
  /** The user's proxy, or else the user's certificates: how pages are fetched. */
  web?: Pick<WebOptions, 'fetch' | 'certificates'>;
  /** Both absent when nobody is there to be asked. */
  approver?: Approver;
  ask?: ToolContext['ask'];
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
  const answers = new Answers(session.messages);
  const registry = createRegistry(
    builtinTools({ shell: hands.shell.name, maxTimeoutMs: config.maxCommandTimeoutMs }),
  );
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
    isReadOnly: ({ kind, target }) => kind === 'execute' && classify(target, hands.place).verdict === 'allow',
    answerTo: (callId) => answers.get(callId),
    keepOutput: (callId, text) => keepOutput(hands.outputFolder, callId, text),
    log: {
      started: (callId) => controller.callLog.started(callId),
      answered: (message) => {
        answers.add(message);
        return controller.callLog.answered(message);
      },
    },
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
      ask: (history, signal) => {
        const request = { ...base, messages: shortenView(history, level) };
        refuseOverlong(request, choice.info.contextWindow);
        return parts.provider.stream(request, signal);
      },
      act: (calls, signal) => runTools(calls, deps, signal),
      shorten: () => {
        const before = shortenView(session.messages, level);
        while (level < 2) {
          level = level === 0 ? 1 : 2;
          if (shortenView(session.messages, level) !== before) return true;
        }
        return false;
      },
      costOf: (usage) => costOf(usage, choice.info),
      maxTurns: config.maxTurns,
    };
  };

  const controller = new Controller({
    session,
    unfinished: opened.unfinished,
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

/** The estimate errs on the high side; only what is over by far is not even sent. */
function refuseOverlong(request: CompletionRequest, contextWindow: number): void {
  const tokens = estimateTokens(request);
  if (tokens > contextWindow * 1.5) throw new ContextOverflowError(tokens, contextWindow);
}

function makeHands(parts: Parts, undo: UndoStore) {
  const { config, env, cwd, keyVariables, dataRoot, opened, choice, trusted } = parts;
  const outputFolder = path.join(dataRoot, 'outputs', opened.session.id);
  const guard = createGuard({
    cwd,
    additionalDirectories: config.additionalDirectories,
    readableDirectories: [outputFolder],
    blockedPaths: config.blockedPaths,
    allowedPaths: config.allowedPaths,
    home: homedir(),
  });
  const shell = createHostShell({
    cwd,
    env,
    hiddenEnv: keyVariables,
    outputFolder,
  });
  let todos = lastTodos(opened.session.messages);
  const hands = {
    cwd,
    files: createFiles({ guard, cwd, onBeforeWrite: (change) => undo.keep(change) }),
    shell,
    search: createSearch({ guard, cwd }),
    web: createWeb(parts.web),
    ask: parts.ask ?? (async () => null),
    todos: {
      list: () => todos,
      replace: (items: readonly Todo[]) => {
        todos = items;
      },
    },
    accepts: { images: choice.info.abilities.images },
    seen: new Map<string, string>(),
  };
  return {
    guard,
    shell,
    outputFolder,
    place: { cwd, trusted, isInside: (file: string) => guard.isInside(file) },
    context: (signal: AbortSignal, progress: (text: string) => void): ToolContext => ({
      ...hands,
      signal,
      progress,
    }),
  };
}

/** Null when the disk refuses: the model then has the head and the tail, and nothing else is lost. */
async function keepOutput(folder: string, callId: string, text: string): Promise<string | null> {
  const file = path.join(folder, `${callId.replaceAll(/[^\w-]/g, '_').slice(0, 80)}.txt`);
  return writeAtomic(file, text, 0o600).then(
    () => file,
    () => null,
  );
}

/** The task list as the conversation left it. */
function lastTodos(history: readonly Message[]): readonly Todo[] {
  const answer = history.findLast(
    (message) => message.role === 'tool' && message.name === todo.name && message.success,
  );
  const call = answer?.role === 'tool' ? callsOf(history).get(answer.callId) : undefined;
  const parsed = todo.input.safeParse(call?.input);
  return parsed.success ? (parsed.data as { items: Todo[] }).items : [];
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
    started: (callId) => journal.append({ type: 'call_started', callId }),
    answered: (message) => journal.append({ type: 'call_answered', message }),
    grant: (permission) => journal.append({ type: 'grant', permission }),
    close: () => journal.close(),
  };
}

const forgetful: SessionLog = {
  message: async () => undefined,
  started: async () => undefined,
  answered: async () => undefined,
  grant: async () => undefined,
  close: async () => undefined,
};

async function readInstructions(cwd: string, dataRoot: string): Promise<{ file: string; text: string }[]> {
  const files = [path.join(dataRoot, 'AGENTS.md'), path.join(cwd, 'AGENTS.md')];
  const texts = await Promise.all(files.map(async (file) => ({ file, text: await readTextIfAny(file) })));
  return texts.flatMap(({ file, text }) => (text === null ? [] : [{ file, text }]));
}
