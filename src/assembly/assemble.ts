import path from 'node:path';
import { Answers } from '../agent/answers.ts';
import { Controller, type ControllerDeps } from '../agent/controller.ts';
import { Lingering } from '../agent/lingering.ts';
import { refuseCircles } from '../agent/stuck.ts';
import { type RouterDeps, runTools } from '../agent/tool-router.ts';
import { type Surroundings, systemPrompt } from '../context/system-prompt.ts';
import type { AgentEvent } from '../contract/event.ts';
import type { PermissionMode } from '../contract/permission.ts';
import type { Session } from '../contract/session.ts';
import { limited, unlessAborted } from '../lib/async/abort.ts';
import { inTurn, once } from '../lib/async/closing.ts';
import { EventChannel } from '../lib/async/event-channel.ts';
import { whileWaiting } from '../lib/async/while-waiting.ts';
import { sha256 } from '../lib/sha256.ts';
import { cachedUsage, PromptCache } from '../observability/spending/prompt-cache.ts';
import { namesServer } from '../permissions/pattern.ts';
import { cacheKeyOf } from '../providers/models/cache-key.ts';
import { createGit } from '../sandbox/git.ts';
import { undoPlace } from '../session/undo/undo-place.ts';
import { UndoStore } from '../session/undo/undo-store.ts';
import { builtinTools } from '../tools/index.ts';
import { createRegistry } from '../tools/registry.ts';
import type { Assistant } from './assistant.ts';
import { createExtensions, hostInstructions } from './extensions/extensions.ts';
import { callForUser } from './extensions/user-calls.ts';
import { createRemembering, remembers } from './memory/memory.ts';
import { Budget } from './models/budget.ts';
import { reachModels } from './models/connect-models.ts';
import { outputLimits, requestSettings } from './models/request-settings.ts';
import { circlesOf, fitInstructions, isSmall, offeredTools } from './models/small-model.ts';
import type { Parts } from './parts.ts';
import { makeHands } from './safety/capabilities.ts';
import { createJudge } from './safety/judge.ts';
import { createPrivacy } from './safety/privacy.ts';
import { rootHints } from './safety/running-as-root.ts';
import { createStartupCheck } from './safety/startup-check.ts';
import { carefulShell, shellOpenTo } from './safety/undoable-shell.ts';
import { createCaches } from './session/caches.ts';
import { runInfo } from './session/history-state.ts';
import { keepOutput } from './session/keep-output.ts';
import { createRepository } from './session/repository.ts';
import { forgetful, sessionLog } from './session/session-log.ts';
import { createSubagents } from './session/subagents.ts';
import { createContextWindow } from './window/context-window.ts';
import { type Base, createConversationView } from './window/conversation-view.ts';
import { createMode } from './window/mode.ts';
import { createSoFar } from './window/progress-summary.ts';
import { createProjectInstructions } from './window/project-instructions.ts';

/** How long the end of a session waits for interrupted tools that do not end. */
const LINGERING_MS = 5_000;
/** A model that has said nothing for so long leaves time to prepare for the commands it may ask for. */
const THINKING_MS = 100;

/** The one place where parts are made and handed to each other. */
export function assemble(parts: Parts): Assistant {
  const { config, cwd, dataRoot, choice, opened } = parts;
  const { session } = opened;
  const events = parts.events ?? new EventChannel<AgentEvent>();
  const tell = (event: AgentEvent) => events.emit(event);
  const notice = (level: 'info' | 'warn', text: string) => tell({ type: 'notice', level, text });
  const inform = (text: string) => notice('info', text);
  const warn = (text: string) => notice('warn', text);
  const lingering = new Lingering();
  /** Comes when the session is closed. */
  const ending = new AbortController();
  const undo = new UndoStore({
    ...undoPlace(dataRoot, { sessionId: session.id, cwd }),
    roots: [cwd, ...config.additionalDirectories],
    quotaBytes: config.undoLimitMb * 1024 * 1024,
    onTrouble: warn,
  });
  const mode = createMode(config.mode, {
    first: session.settings.mode ?? config.mode,
    sent: () => session.messages.slice(session.view?.compactions.at(-1)?.keepFrom ?? 0),
  });
  const hands = makeHands(parts, { undo, mode, redact: (text) => privacy.outgoing(text) });
  const privacy = createPrivacy(parts, { guard: hands.guard, notice: warn });
  // Made with the first run: until then a long session may still be read.
  let answers: Answers | undefined;
  const registry = createRegistry(
    builtinTools({
      shell: hands.shell.name,
      maxTimeoutMs: config.maxCommandTimeoutMs,
      agents: parts.agents ?? [],
      recall: remembers(parts)
        ? async (query, options) => (await remembering?.recall(query, options)) ?? []
        : null,
    }),
  );
  const builtin = registry.definitions();
  const servers = parts.servers?.({
    outgoing: (value) => privacy.outgoing(value),
    isWatched: parts.approver !== undefined,
    isAllowed: (server) => namesServer(config.permissions.allow, server),
    window: () => choice.info.contextWindow,
    notice: warn,
  });
  const tools = () => {
    const own = extensions.definitions(builtin);
    return servers?.behind(own) ?? own;
  };
  const judge = createJudge(parts, {
    mode,
    guard: hands.guard,
    sandbox: () => hands.shell.sandbox(),
    warn,
    controller: () => controller,
  });
  const startup = createStartupCheck({
    cwd,
    shell: hands.shell,
    watch: hands.startup,
    decide: (request, options) => judge.decide(request, options),
    isClosed: (file) => !hands.guard.allows(file, 'write'),
    onBeforeWrite: hands.onBeforeWrite,
    warn,
  });
  const shell = carefulShell(hands.shell, {
    undo,
    changing: startup.shell,
    cwd,
    isHarmless: (target) => judge.isReadOnly({ kind: 'execute', target }),
    environmentOf: (command) => judge.lookingEnvironment(command),
    onNotice: inform,
  });
  const soFar = createSoFar(() => hands.todos.list());
  const budget = new Budget({
    folder: path.join(dataRoot, 'ledger'),
    session,
    limits: config.limits,
    notice,
    soFar: () => soFar.words(),
  });
  const promptCache = new PromptCache();
  const caches = createCaches(parts, { guard: hands.guard, tell });
  const models = reachModels({
    ...parts,
    ...caches.models,
    main: { choice, provider: parts.provider },
    budget,
    guard: (provider) => privacy.guard(provider),
    watch: (provider) => promptCache.watched(provider),
    tell,
  });
  const remembering = createRemembering(parts, {
    hide: (text) => privacy.hide(text),
    helper: models.helper,
    notice: inform,
    offers: (tool, accesses) => judge.offers(tool, accesses),
    allowAlways: (rule) => judge.allowAlways(rule),
  });
  const call = (name: string, input: unknown) => {
    undo.beginRun({ at: new Date().toISOString(), prompt: name, message: session.messages.length });
    const { signal } = ending;
    return callForUser({ name, input }, deps, { tell: (event) => controller.beside(event), signal });
  };
  const extensions = createExtensions(parts, {
    shell,
    mode: () => mode.get(),
    notice: warn,
    call,
    isFile: (file) =>
      hands.files.stat(file).then(
        (stat) => stat?.type === 'file',
        () => false,
      ),
  });
  const deps: RouterDeps = {
    find: (name) => registry.find(name) ?? extensions.find(name) ?? servers?.find(name),
    ...(servers && { meant: (call) => servers.meant(call) }),
    toolNames: () => [...new Set([...tools().map(({ name }) => name), ...(servers?.names() ?? [])])],
    decide: (request, options) => judge.decide(request, options),
    context: (signal, voice, scope) => {
      const delegate = subagents.delegate(voice, signal);
      const opened = shellOpenTo(shell, scope.opens);
      return {
        ...hands.context(signal, voice, scope),
        shell: opened,
        mayLeaveSandbox: judge.mayLeaveSandbox,
        ...(delegate && { delegate }),
      };
    },
    localInput: (tool, input) => privacy.localInput(tool, input),
    unknownPlaceholders: (tool, input) => privacy.unknownPlaceholders(tool, input),
    printed: (callId, accesses, output) => privacy.printed(callId, accesses, output),
    isReadOnly: (access) => judge.isReadOnly(access),
    answerTo: (callId) => answers?.get(callId),
    keepOutput: (callId, text) => keepOutput(hands.outputFolder, callId, text),
    notesFor: (accesses) => project.notesFor(accesses),
    ...extensions.router,
    perform: async (work, context, voice) => {
      const { perform } = caches.router;
      const result = perform ? perform(work, context, voice) : work.tool.run(work.input, context);
      return startup.settle(await result, context.signal, voice);
    },
    inTurn: hands.inTurn,
    lingering,
    log: {
      started: (callId, effect) => controller.callLog.started(callId, effect),
      answered: async (message) => {
        await controller.callLog.answered(message);
        answers?.add(message);
      },
    },
  };
  const settings = requestSettings(config);

  const instructionsFor = (held: Pick<Session, 'messages'>) =>
    createProjectInstructions({
      config,
      cwd,
      dataRoot,
      guard: hands.guard,
      messages: () => held.messages,
      notice: warn,
    });
  const project = instructionsFor(session);
  /** The model of the run under way, or of the last one. */
  let inUse = choice;
  const surroundings = async (now: PermissionMode): Promise<Surroundings> => {
    const [{ skills }, found] = await Promise.all([extensions.ready(), project.all()]);
    const all = [...found, ...hostInstructions(parts)];
    const place = { cwd, platform: process.platform, shell: hands.shell.name, mode: now };
    if (!isSmall(inUse, config)) return { ...place, instructions: all, skills };
    return { ...place, instructions: fitInstructions(all, inUse.info.contextWindow), length: 'short' };
  };
  const base = async (): Promise<Base> => ({
    model: inUse.model,
    system: systemPrompt(await surroundings(mode.first)),
    tools: offeredTools(tools(), inUse, config),
    cacheKey: cacheKeyOf(session),
    ...settings,
  });
  const viewDeps = {
    session,
    ready: opened.ready,
    answering: () => ({
      model: inUse.model,
      contextWindow: inUse.info.contextWindow,
      ...outputLimits(config, inUse.info),
    }),
    keepText: (text: string) => keepOutput(hands.outputFolder, `prompt-${sha256(text).slice(0, 16)}`, text),
    threshold: config.summarizationThreshold,
    base,
    helper: models.helper,
    todos: () => hands.todos.list(),
    controller: () => controller,
    isWatched: parts.approver !== undefined,
    keepsAll: extensions.keepsAll,
  };
  const view = createConversationView(viewDeps);
  const window = createContextWindow(view, viewDeps, () => project.all());

  const subagents = createSubagents({
    config,
    opened,
    agents: parts.agents ?? [],
    router: deps,
    definitions: tools,
    surroundings: () => surroundings(mode.get()),
    settings,
    models,
    budget,
    notes: (held) => instructionsFor(held).notesFor,
  });
  const ready = opened.ready.then(() => subagents.closeOpen());
  const repository = createRepository({
    cwd,
    git: createGit({ cwd, env: parts.env, trusted: parts.trusted }),
    helper: models.helper,
    subagents,
    tell: (event) => controller.beside(event),
  });

  /** What goes wrong here goes wrong again, and is told, when a command needs it. */
  const prepareCommands = once(() =>
    Promise.all([hands.shell.prepare(), judge.prepare()]).catch(() => undefined),
  );

  const prepareRun: ControllerDeps['prepareRun'] = async (options) => {
    answers ??= new Answers(session.messages);
    const info = runInfo(session.messages);
    undo.beginRun(info);
    budget.beginRun(info.prompt);
    const answering = await models.forPrompt(info.prompt, options.model);
    extensions.beginRun(options);
    inUse = answering.choice;
    await servers?.ready(info.prompt);
    const begin = await base();
    return {
      provider: answering.choice.preset.name,
      model: answering.choice.model,
      ask: (history, signal) => {
        refuseCircles(history, circlesOf(inUse));
        const reply = answering.provider.stream(view.request(begin, history), signal);
        return whileWaiting(reply, { afterMs: THINKING_MS, work: prepareCommands });
      },
      act: (calls, signal) => runTools(calls, deps, signal),
      heed: extensions.heed,
      goOn: extensions.goOn,
      makeRoom: (cause, signal) => view.makeRoom(cause, signal, begin),
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
    ready,
    log: remembering ? remembering.log(log) : log,
    provider: choice.preset.name,
    model: choice.model,
    contextWindow: choice.info.contextWindow,
    events,
    news: () =>
      [mode.news(), window.news(), servers?.news() ?? null, repository.news()]
        .filter((text) => text !== null)
        .join('\n') || null,
    beforePrompt: extensions.beforePrompt,
    prepareRun,
  });
  for (const part of [privacy, remembering, view, soFar]) events.watch((event) => part?.watch(event));
  return {
    controller,
    privacy,
    undo,
    mode,
    permissions: judge.standing,
    window,
    spending: budget,
    repository,
    cache: () => ({ ...cachedUsage(session.messages), compared: promptCache.compared }),
    sandbox: () => judge.sandbox(),
    shells: () => hands.shell.background().filter(({ running }) => running).length,
    hints: [...rootHints(parts.env), ...judge.hints],
    ...(remembering && { memory: remembering.memory }),
    ...(servers && { mcp: servers.desk }),
    extensions: extensions.desk,
    call,
    toolbox: {
      definitions: () => builtin,
      run(call, signal) {
        undo.beginRun({ at: new Date().toISOString(), prompt: call.name, message: session.messages.length });
        return runTools([{ type: 'tool_call', ...call }], deps, signal);
      },
    },
    noteAtEnd: async (signal) => remembering?.atEnd(signal),
    close: once(() =>
      inTurn(
        () => ending.abort(new DOMException('The session ends.', 'AbortError')),
        () => controller.stop(),
        ...[extensions, subagents, remembering, servers, view].map((part) => () => part?.close()),
        () => hands.shell.close(),
        () => startup.close(),
        () => unlessAborted(lingering.ended(), limited(LINGERING_MS)),
        () => caches.close(),
        () => undo.close(),
        // The last: only then may another process open the session.
        () => controller.close(),
      ),
    ),
  };
}
