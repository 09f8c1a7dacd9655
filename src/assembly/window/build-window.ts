import type { SessionWriter } from '../../agent/session-writer.ts';
import type { CompletionRequest } from '../../contract/provider.ts';
import type { Session } from '../../contract/session.ts';
import { sha256 } from '../../lib/sha256.ts';
import { cacheKeyOf } from '../../providers/models/cache-key.ts';
import type { SessionExtensions } from '../extensions/extensions.ts';
import type { SessionTools } from '../extensions/session-tools.ts';
import type { Models } from '../models/connect-models.ts';
import type { EffortState } from '../models/effort.ts';
import { outputLimits, requestSettings } from '../models/request-settings.ts';
import { takesToolChanges } from '../models/tool-changes.ts';
import type { Notify } from '../notify.ts';
import type { Parts } from '../parts.ts';
import type { Safety } from '../safety/build-safety.ts';
import { keepOutput } from '../session/keep-output.ts';
import { createPrefixBuilder } from './build-prefix.ts';
import { createContextWindow } from './context-window.ts';
import { ConversationView } from './conversation-view.ts';
import { Epochs } from './epochs.ts';
import { createExposureNotice } from './exposed-secrets.ts';
import { createInstructionFiles } from './load-instructions.ts';
import type { Mode } from './mode.ts';
import { createOutputStyles } from './output-styles.ts';
import { createProjectInstructions } from './project-instructions.ts';
import { createUpdates } from './updates.ts';

export type BuildWindowDeps = {
  writer: SessionWriter;
  mode: Mode;
  safety: Pick<Safety, 'guard' | 'capabilities' | 'folders' | 'privacy' | 'judge'>;
  models: Models;
  effort: Pick<EffortState, 'applied'>;
  extensions: SessionExtensions;
  tools: SessionTools;
  notify: Notify;
};

export type BuiltWindow = ReturnType<typeof buildWindow>;

/** What the model of a session sees: instructions, the prefix of requests, and the messages that fit. */
export function buildWindow(parts: Parts, deps: BuildWindowDeps) {
  const { config, cwd, dataRoot, opened } = parts;
  const { session } = opened;
  const { writer, mode, safety, models, effort, extensions, tools, notify } = deps;
  const { guard, capabilities, folders, privacy } = safety;
  const files = createInstructionFiles({ config, cwd, dataRoot, env: parts.env, guard, notice: notify.warn });
  const instructionsFor = (conversation: Pick<Session, 'messages'>) =>
    createProjectInstructions(files, () => conversation.messages);
  const instructions = instructionsFor(session);
  const styles = createOutputStyles(parts, notify.warn);
  const shellName = capabilities.shell.name;
  const prefix = createPrefixBuilder(parts, {
    mode,
    shellName,
    models,
    tools,
    extensions,
    instructions,
    style: styles.selected,
    ...(parts.approver === undefined && { refused: safety.judge.asksAbout }),
  });
  const epochs = new Epochs({ ...prefix, session, writer, outgoing: privacy.outgoing });
  const viewDeps = {
    session,
    ready: opened.ready,
    answering: () => {
      const { model, info, key } = models.current();
      const { account } = key ?? {};
      const limits = { contextWindow: info.contextWindow, ...outputLimits(config, info) };
      return { model, ...(account !== undefined && { account }), ...limits };
    },
    keepText: (text: string) => keepOutput(folders.output, `prompt-${sha256(text).slice(0, 16)}`, text),
    promptCache: config.promptCache,
    threshold: config.summarizationThreshold,
    epochs,
    settings: () => ({
      model: models.current().model,
      cacheKey: cacheKeyOf(session),
      ...requestSettings(config),
    }),
    backgroundModel: models.backgroundModel,
    summarizeAtVendor: (request: CompletionRequest, signal: AbortSignal) =>
      models.summarizeAtVendor(effort.applied(request, session.messages), signal),
    todos: () => capabilities.todos.list(),
    writer,
    isWatched: parts.approver !== undefined,
    keepsAll: extensions.keepsAll,
    onExposed: createExposureNotice(notify.warn),
  };
  const view = new ConversationView(viewDeps);
  const window = createContextWindow(view, viewDeps, () => instructions.all());
  const updates = createUpdates({
    epochs,
    view,
    surroundings: prefix.ownSurroundings,
    takesToolChanges: () => takesToolChanges(models.current()),
    notice: notify.info,
  });
  return {
    instructions,
    instructionsFor,
    epochs,
    surroundings: prefix.surroundings,
    styles,
    view,
    window,
    updates,
  };
}
