import { homedir } from 'node:os';
import path from 'node:path';
import { Answers } from '../agent/answers.ts';
import { Controller } from '../agent/controller.ts';
import { callsOf } from '../agent/history.ts';
import type { Run } from '../agent/loop.ts';
import { type RouterDeps, runTools } from '../agent/tool-router.ts';
import type { Config } from '../config/schema.ts';
import { type ShortenLevel, shortenView } from '../context/shorten.ts';
import { systemPrompt } from '../context/system-prompt.ts';
import type { ModeSwitch, Standing } from '../contract/command.ts';
import { ContextOverflowError } from '../contract/errors.ts';
import { type Message, textOf } from '../contract/message.ts';
import type { Approver } from '../contract/permission.ts';
import type { CompletionRequest, Provider } from '../contract/provider.ts';
import type { SandboxState } from '../contract/sandbox.ts';
import type { Todo, ToolContext } from '../contract/tool.ts';
import { writeAtomic } from '../lib/atomic-write.ts';
import { readTextIfAny } from '../lib/read-text.ts';
import { readingDenier } from '../permissions/pattern.ts';
import { estimateTokens } from '../providers/estimate.ts';
import { costOf } from '../providers/models.ts';
import { createFiles } from '../sandbox/files.ts';
import { createGuard, type Guard } from '../sandbox/guard.ts';
import { realPath } from '../sandbox/real-path.ts';
import { createSearch } from '../sandbox/search.ts';
import { createShell } from '../sandbox/shell.ts';
import { createWeb, type WebOptions } from '../sandbox/web.ts';
import type { OpenSession } from '../session/store.ts';
import type { RunInfo } from '../session/undo/undo-log.ts';
import { UndoStore } from '../session/undo/undo-store.ts';
import { builtinTools } from '../tools/index.ts';
import { createRegistry } from '../tools/registry.ts';
import { todo } from '../tools/todo.ts';
import { carefulShell } from './careful-shell.ts';
import type { Choice } from './choose-model.ts';
import { createJudge } from './judge.ts';
import { createMode } from './mode.ts';
import { createPrivacy } from './privacy.ts';
import { forgetful, sessionLog } from './session-log.ts';

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

export type Assistant = {
  controller: Controller;
  undo: UndoStore;
  mode: ModeSwitch;
  permissions: Standing;
  /** What commands run in; a fallback is told as a notice when it is first found. */
  sandbox(): Promise<SandboxState>;
  /** What is good to know at the start, and no trouble. */
  hints: readonly string[];
  /** Ends the run, saves the session, and ends what commands left running. */
  close(): Promise<void>;
};

/** The one place where parts are made and handed to each other. */
export function assemble(parts: Parts): Assistant {
  const { config, cwd, dataRoot, choice, opened } = parts;
  const { session } = opened;
  const undo = new UndoStore({
    folder: path.join(dataRoot, 'undo'),
    sessionId: session.id,
    roots: [cwd, ...config.additionalDirectories],
    onTrouble: (text) => controller.notice('warn', text),
  });
  const mode = createMode(config.mode);
  const hands = makeHands(parts, undo, mode);
  // Made with the first run: until then a long session may still be read.
  let answers: Answers | undefined;
  const registry = createRegistry(
    builtinTools({ shell: hands.shell.name, maxTimeoutMs: config.maxCommandTimeoutMs }),
  );
  const tools = registry.definitions();
  const judge = createJudge(parts, {
    mode,
    guard: hands.guard,
    sandbox: () => hands.shell.sandbox(),
    controller: () => controller,
  });
  const shell = carefulShell(hands.shell, {
    undo,
    isHarmless: (target) => judge.isReadOnly({ kind: 'execute', target }),
    onNotice: (text) => controller.notice('info', text),
  });
  const privacy = createPrivacy(parts, {
    guard: hands.guard,
    notice: (text) => controller.notice('warn', text),
  });
  const deps: RouterDeps = {
    find: (name) => registry.find(name),
    toolNames: () => registry.list().map((tool) => tool.name),
    decide: (request, options) => judge.decide(request, options),
    context: (signal, progress) => ({ ...hands.context(signal, progress), shell }),
    localInput: (tool, input) => privacy.localInput(tool, input),
    isReadOnly: (access) => judge.isReadOnly(access),
    answerTo: (callId) => answers?.get(callId),
    keepOutput: (callId, text) => keepOutput(hands.outputFolder, callId, text),
    log: {
      started: (callId) => controller.callLog.started(callId),
      answered: (message) => {
        answers?.add(message);
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
    answers ??= new Answers(session.messages);
    undo.beginRun(runInfo(session.messages));
    instructions ??= readInstructions(dataRoot, cwd, hands.guard);
    const surroundings = {
      cwd,
      platform: process.platform,
      shell: hands.shell.name,
      mode: mode.first,
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
        return privacy.provider.stream(request, signal);
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
    ready: opened.ready,
    log: config.saveHistory
      ? sessionLog(opened, { provider: choice.preset.name, model: choice.model })
      : forgetful,
    provider: choice.preset.name,
    model: choice.model,
    contextWindow: choice.info.contextWindow,
    news: () => mode.news(),
    prepareRun,
  });
  controller.listen((event) => privacy.watch(event));
  return {
    controller,
    undo,
    mode,
    permissions: judge.standing,
    sandbox: () => judge.sandbox(),
    hints: judge.hints,
    close: async () => {
      await controller.close();
      await hands.shell.close();
      await undo.close();
    },
  };
}

/** The run that the last prompt begins. */
function runInfo(messages: readonly Message[]): RunInfo {
  const message = messages.findLastIndex(({ role }) => role === 'user');
  const prompt = messages[message];
  return { at: new Date().toISOString(), prompt: prompt ? textOf(prompt) : '', message };
}

/** The estimate errs on the high side; only what is over by far is not even sent. */
function refuseOverlong(request: CompletionRequest, contextWindow: number): void {
  const tokens = estimateTokens(request);
  if (tokens > contextWindow * 1.5) throw new ContextOverflowError(tokens, contextWindow);
}

function makeHands(parts: Parts, undo: UndoStore, mode: ModeSwitch) {
  const { config, env, cwd, keyVariables, dataRoot, opened, choice } = parts;
  const outputFolder = path.join(dataRoot, 'outputs', opened.session.id);
  const guard = createGuard({
    cwd,
    additionalDirectories: config.additionalDirectories,
    readableDirectories: [outputFolder],
    closedDirectories: [dataRoot],
    blockedPaths: config.blockedPaths,
    allowedPaths: config.allowedPaths,
    deniedReads: readingDenier(config.permissions.deny, realPath(cwd)),
    home: homedir(),
  });
  const { kind, level, required, image, allowedDomains, writablePaths } = config.sandbox;
  const shell = createShell({
    cwd,
    env,
    hiddenEnv: keyVariables,
    outputFolder,
    confine: {
      kind,
      // Modes in which nothing may be changed: commands cannot, either.
      level: () => (['plan', 'read-only'].includes(mode.get()) ? 'strict' : level),
      required,
      ...(image !== undefined && { image }),
      allowedDomains,
      writablePaths,
      additionalDirectories: config.additionalDirectories,
      allowedPaths: config.allowedPaths,
      isClosed: (file) => guard.closedBecause(file, 'read') !== null,
      home: homedir(),
      dataRoot,
      cacheFile: path.join(dataRoot, 'cache', 'sandbox-probe'),
    },
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

/** The user's own, then the project's. A link in the project must not lead to something secret. */
async function readInstructions(
  dataRoot: string,
  cwd: string,
  guard: Pick<Guard, 'allows'>,
): Promise<{ file: string; text: string }[]> {
  const project = path.join(cwd, 'AGENTS.md');
  const files = [path.join(dataRoot, 'AGENTS.md'), ...(guard.allows(project, 'read') ? [project] : [])];
  const texts = await Promise.all(files.map(async (file) => ({ file, text: await readTextIfAny(file) })));
  return texts.flatMap(({ file, text }) => (text === null ? [] : [{ file, text }]));
}
