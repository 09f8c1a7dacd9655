import type { Controller } from '../agent/controller.ts';
import { projectRoot } from '../config/trust.ts';
import { inTurn, once } from '../lib/async/closing.ts';
import { hasRepository, repositoryRoot } from '../lib/paths/repository-root.ts';
import { cachedUsage } from '../observability/spending/prompt-cache.ts';
import { createGit } from '../sandbox/git.ts';
import type { Assistant } from './assistant.ts';
import { type BuiltDiagnostics, buildDiagnostics } from './diagnostics/build-diagnostics.ts';
import { createAttachMentions } from './extensions/attach-mentions.ts';
import { createExtensionCommands } from './extensions/extension-commands.ts';
import { createExtensions, type SessionExtensions } from './extensions/extensions.ts';
import { withSources } from './extensions/server-sources.ts';
import { collectTools, type SessionTools } from './extensions/session-tools.ts';
import { createAddInstruction } from './memory/instruction-file.ts';
import { createMemory, type SessionMemory } from './memory/memory.ts';
import { buildModels } from './models/build-models.ts';
import type { Parts } from './parts.ts';
import { buildSafety, type Safety } from './safety/build-safety.ts';
import { rootHints } from './safety/running-as-root.ts';
import { type BuiltCalls, buildCalls } from './session/build-calls.ts';
import { type Caches, createCaches } from './session/caches.ts';
import { createController } from './session/create-controller.ts';
import { openCore, type SessionCore } from './session/open-core.ts';
import { createRepository } from './session/repository.ts';
import { createSearch } from './session/web-search.ts';
import { type BuiltWindow, buildWindow } from './window/build-window.ts';

/** Builds one session; each part gets the parts built before it. */
export function assemble(parts: Parts): Assistant {
  const { cwd, env, trusted, opened } = parts;
  const core = openCore(parts);
  const { events, notify, writer, undo, mode } = core;
  const safety = buildSafety(parts, core);
  const { privacy, judge, capabilities } = safety;
  const caches = createCaches(parts, { guard: safety.guard, notify });
  const models = buildModels(parts, { safety, caches, events, notify });
  const { models: answering, effort } = models;
  const { backgroundModel } = answering;
  const memory = createMemory(parts, {
    hide: privacy.hide,
    backgroundModel,
    notice: notify.info,
    offers: judge.offers,
    allowAlways: judge.allowAlways,
    addInstruction: createAddInstruction({
      cwd,
      files: capabilities.files,
      undo,
      messages: () => opened.session.messages.length,
      keepSession: () => writer.keep(),
    }),
  });
  const extensions = createExtensions(parts, {
    shell: safety.shell,
    folder: safety.folders.output,
    mode: mode.get,
    hide: privacy.hide,
    notice: notify.warn,
    info: notify.info,
    onHookSaid: (command, output) =>
      safety.sources.note({ tool: 'Bash', accesses: [{ kind: 'execute', target: command }], output }, () =>
        capabilities.shell.sandbox(),
      ),
  });
  const search = createSearch(parts, { ...safety, ...models });
  const diagnostics = buildDiagnostics(parts, { core, safety });
  const { code } = diagnostics;
  const tools = collectTools(parts, { safety, extensions, memory, search, code, warn: notify.warn });
  const window = buildWindow(parts, { ...core, safety, models: answering, effort, extensions, tools });
  const calls = buildCalls(parts, { core, safety, caches, models, extensions, tools, window, diagnostics });
  const { subagents, userCalls } = calls;
  const { call } = userCalls;
  const desk = tools.servers && withSources(tools.servers.desk, safety.sources);
  const attach = createAttachMentions({ cwd, call, notice: notify.warn, mcp: desk });
  const repositories = [cwd, ...otherFolders(parts)].map((folder) => {
    const isOther = folder !== cwd;
    // The user trusts the working directory, and not the programs that other repositories name.
    const git = createGit({ cwd: folder, env, trusted: trusted && !isOther ? projectRoot(cwd) : null });
    return createRepository({ cwd: folder, isOther, git, backgroundModel, subagents, writer });
  });
  const built = { core, safety, models, memory, extensions, tools, window, calls, repositories, diagnostics };
  const controller = createController(parts, built);
  for (const part of [privacy, memory, window.view, extensions.hooks, extensions])
    events.watch((event) => part?.watch(event));

  return {
    controller,
    ...userCalls,
    privacy,
    undo,
    mode,
    permissions: { ...judge.standing, promptRules: () => extensions.rules.current() },
    window: window.window,
    styles: window.styles,
    effort,
    spending: models.budget,
    repositories,
    cache: () => ({ ...models.promptCache.use, ...cachedUsage(opened.session.messages) }),
    sandbox: judge.sandbox,
    toolNames: tools.router.toolNames,
    transcript: () => extensions.hooks.transcript(),
    shells: () => capabilities.shell.background().filter(({ running }) => running).length,
    hints: [...rootHints(env), ...judge.hints],
    ...(memory && { memory: memory.commands }),
    ...(desk && { mcp: desk }),
    languageServers: diagnostics.desk,
    extensions: createExtensionCommands(extensions, { call, attach }),
    attach,
    noteAtEnd: async (signal) => memory?.atEnd(signal),
    close: once(() => closeAll({ ...built, caches, controller })),
  };
}

/** Added folders, one for each repository. */
function otherFolders({ cwd, config }: Parts): string[] {
  const known = new Set([repositoryRoot(cwd)]);
  return config.additionalDirectories.filter((folder) => {
    const root = repositoryRoot(folder);
    const isNew = !known.has(root) && hasRepository(root);
    known.add(root);
    return isNew;
  });
}

type Closing = {
  core: SessionCore;
  safety: Safety;
  caches: Caches;
  memory: SessionMemory | null;
  extensions: SessionExtensions;
  tools: SessionTools;
  window: BuiltWindow;
  calls: BuiltCalls;
  diagnostics: BuiltDiagnostics;
  controller: Controller;
};

async function closeAll(built: Closing): Promise<void> {
  const { core, safety, caches, memory, extensions, tools, window, calls, controller } = built;
  const { subagents } = calls;
  await inTurn(
    () => calls.stop(),
    () => controller.stop(),
    ...[extensions, subagents, memory, tools.servers, window.view].map((part) => () => part?.close()),
    () => built.diagnostics.close(),
    () => safety.capabilities.shell.close(),
    () => safety.startup.close(),
    () => calls.ended(),
    () => caches.close(),
    () => core.undo.close(),
    // Last: after this, another process may open the session.
    () => controller.close(),
  );
}
