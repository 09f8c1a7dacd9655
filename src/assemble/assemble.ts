import { homedir } from 'node:os';
import path from 'node:path';
import { Answers } from '../agent/answers.ts';
import { Controller } from '../agent/controller.ts';
import { callsOf } from '../agent/history.ts';
import type { Run } from '../agent/loop.ts';
import { refuseCircles } from '../agent/stuck.ts';
import { type RouterDeps, runTools } from '../agent/tool-router.ts';
import type { Config } from '../config/schema.ts';
import { systemPrompt } from '../context/system-prompt.ts';
import type {
  ContextWindow,
  Memory,
  ModeSwitch,
  PromptCacheUse,
  Spending,
  Standing,
} from '../contract/command.ts';
import { ContextOverflowError, type ProviderError } from '../contract/errors.ts';
import { type Message, textOf } from '../contract/message.ts';
import type { Approver } from '../contract/permission.ts';
import type { CompletionRequest, Provider } from '../contract/provider.ts';
import type { SandboxState } from '../contract/sandbox.ts';
import type { Todo, ToolContext } from '../contract/tool.ts';
import { writeAtomic } from '../lib/atomic-write.ts';
import { withoutMemory } from '../memory/block.ts';
import { cachedUsage, PromptCache } from '../observability/prompt-cache.ts';
import { readingDenier } from '../permissions/pattern.ts';
import { cacheKeyOf } from '../providers/cache-key.ts';
import { estimateTokens } from '../providers/estimate.ts';
import { createFiles } from '../sandbox/files.ts';
import { createGuard } from '../sandbox/guard.ts';
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
import { Budget } from './budget.ts';
import { carefulShell } from './careful-shell.ts';
import type { Choice } from './choose-model.ts';
import { createContextWindow } from './context-window.ts';
import { type Base, createConversationView } from './conversation-view.ts';
import { createJudge } from './judge.ts';
import { createMode } from './mode.ts';
import { createPrivacy } from './privacy.ts';
import { createProjectInstructions } from './project-instructions.ts';
import { reachModels } from './reach-models.ts';
import { createRemembering, remembers } from './remembering.ts';
import { forgetful, sessionLog } from './session-log.ts';
import type { ReachedModel } from './side-jobs.ts';
import { circlesOf, fitInstructions, isSmall, offeredTools } from './small-model.ts';
import { createSoFar } from './so-far.ts';

export type Parts = {
  config: Config;
  env: NodeJS.ProcessEnv;
  cwd: string;
  dataRoot: string;
  trusted: boolean;
  choice: Choice;
  provider: Provider;
  /** Another model by its name: for side jobs, as a stand-in, for some prompts. */
  openModel?(name: string): Promise<ReachedModel>;
  /** The name of a model of another vendor that could be asked after this failure; null when there is none. */
  otherModel?(error: ProviderError): Promise<string | null>;
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
  window: ContextWindow;
  spending: Spending;
  cache(): PromptCacheUse;
  /** Absent when it is switched off. */
  memory?: Memory;
  /** Notes what this session taught, as far as the time allows. */
  noteAtEnd(signal: AbortSignal): Promise<void>;
  /** What commands run in; a fallback is told as a notice when it is first found. */
  sandbox(): Promise<SandboxState>;
  /** How many commands run on in the background. */
  shells(): number;
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
  const mode = createMode(config.mode, {
    first: session.settings.mode ?? config.mode,
    sent: () => session.messages.slice(session.view?.compactions.at(-1)?.keepFrom ?? 0),
  });
  const hands = makeHands(parts, undo, mode);
  // Made with the first run: until then a long session may still be read.
  let answers: Answers | undefined;
  const registry = createRegistry(
    builtinTools({
      shell: hands.shell.name,
      maxTimeoutMs: config.maxCommandTimeoutMs,
      recall: remembers(parts)
        ? async (query, options) => (await remembering?.recall(query, options)) ?? []
        : null,
    }),
  );
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
  const soFar = createSoFar(() => hands.todos.list());
  const budget = new Budget({
    folder: path.join(dataRoot, 'ledger'),
    session,
    limits: config.limits,
    notice: (level, text) => controller.notice(level, text),
    soFar: () => soFar.words(),
  });
  const promptCache = new PromptCache();
  const models = reachModels({
    config,
    main: { choice, provider: parts.provider },
    ...(parts.openModel && { openModel: parts.openModel }),
    ...(parts.otherModel && { otherModel: parts.otherModel }),
    ...(parts.ask && { ask: parts.ask }),
    budget,
    guard: (provider) => privacy.guard(provider),
    watch: (provider) => promptCache.watched(provider),
    notice: (level, text) => controller.notice(level, text),
  });
  const remembering = createRemembering(parts, {
    hide: (text) => privacy.hide(text),
    helper: models.helper,
    notice: (text) => controller.notice('info', text),
    offers: (tool, accesses) => judge.offers(tool, accesses),
    allowAlways: (rule) => judge.allowAlways(rule),
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
    notesFor: (accesses) => project.notesFor(accesses),
    log: {
      started: (callId, effect) => controller.callLog.started(callId, effect),
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

  const project = createProjectInstructions({
    config,
    cwd,
    dataRoot,
    guard: hands.guard,
    messages: () => session.messages,
    notice: (text) => controller.notice('warn', text),
  });
  /** The model of the run under way, or of the last one. */
  let inUse = choice;
  const base = async (): Promise<Base> => {
    const { platform } = process;
    const all = await project.all();
    const small = isSmall(inUse, config);
    const instructions = small ? fitInstructions(all, inUse.info.contextWindow) : all;
    const surroundings = { cwd, platform, shell: hands.shell.name, mode: mode.first, instructions };
    return {
      model: inUse.model,
      system: systemPrompt({ ...surroundings, length: small ? 'short' : 'full' }),
      tools: offeredTools(registry.definitions(), inUse, config),
      cacheKey: cacheKeyOf(session),
      ...settings,
    };
  };
  const viewDeps = {
    session,
    ready: opened.ready,
    answering: () => ({
      model: inUse.model,
      contextWindow: inUse.info.contextWindow,
      maxOutput: config.maxTokens ?? inUse.info.maxOutputTokens,
    }),
    threshold: config.summarizationThreshold,
    base,
    helper: models.helper,
    todos: () => hands.todos.list(),
    controller: () => controller,
    isWatched: parts.approver !== undefined,
  };
  const view = createConversationView(viewDeps);
  const window = createContextWindow(view, viewDeps, () => project.all());

  const prepareRun = async (): Promise<Omit<Run, 'history' | 'signal'>> => {
    answers ??= new Answers(session.messages);
    const info = runInfo(session.messages);
    undo.beginRun(info);
    budget.beginRun(info.prompt);
    const answering = await models.forPrompt(info.prompt);
    inUse = answering.choice;
    const begin = await base();
    return {
      provider: answering.choice.preset.name,
      model: answering.choice.model,
      ask: (history, signal) => {
        refuseCircles(history, circlesOf(inUse));
        const request = view.request(begin, history);
        refuseOverlong(request, inUse.info.contextWindow);
        return answering.provider.stream(request, signal);
      },
      act: (calls, signal) => runTools(calls, deps, signal),
      makeRoom: (cause, signal) => view.makeRoom(cause, signal),
      costOf: () => budget.takeCost(),
      maxTurns: config.maxTurns,
    };
  };

  const log = config.saveHistory
    ? sessionLog(opened, { provider: choice.preset.name, model: choice.model })
    : forgetful;
  const controller = new Controller({
    session,
    unfinished: opened.unfinished,
    ready: opened.ready,
    log: remembering ? remembering.log(log) : log,
    provider: choice.preset.name,
    model: choice.model,
    contextWindow: choice.info.contextWindow,
    news: () => [mode.news(), window.news()].filter((text) => text !== null).join('\n') || null,
    prepareRun,
  });
  controller.listen((event) => privacy.watch(event));
  controller.listen((event) => remembering?.watch(event));
  controller.listen((event) => view.watch(event));
  controller.listen((event) => soFar.watch(event));
  return {
    controller,
    undo,
    mode,
    permissions: judge.standing,
    window,
    spending: budget,
    cache: () => ({ ...cachedUsage(session.messages), compared: promptCache.compared }),
    sandbox: () => judge.sandbox(),
    shells: () => hands.shell.background().filter(({ running }) => running).length,
    hints: judge.hints,
    ...(remembering && { memory: remembering.memory }),
    noteAtEnd: async (signal) => remembering?.atEnd(signal),
    close: async () => {
      await remembering?.close();
      view.close();
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
  return { at: new Date().toISOString(), prompt: prompt ? withoutMemory(textOf(prompt)) : '', message };
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
    todos: hands.todos,
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
