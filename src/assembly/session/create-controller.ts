import { Controller } from '../../agent/controller.ts';
import type { TextPart } from '../../contract/message.ts';
import { imageLimitsOf } from '../../providers/image-limits.ts';
import type { BuiltDiagnostics } from '../diagnostics/build-diagnostics.ts';
import type { SessionExtensions } from '../extensions/extensions.ts';
import type { SessionTools } from '../extensions/session-tools.ts';
import type { SessionMemory } from '../memory/memory.ts';
import type { BuiltModels } from '../models/build-models.ts';
import type { Parts } from '../parts.ts';
import type { Safety } from '../safety/build-safety.ts';
import type { BuiltWindow } from '../window/build-window.ts';
import type { BuiltCalls } from './build-calls.ts';
import { fitPrompt } from './fit-images.ts';
import type { SessionCore } from './open-core.ts';
import { runPreparation } from './prepare-run.ts';
import type { RepositoryCommands } from './repository.ts';

export type CreateControllerDeps = {
  core: SessionCore;
  safety: Safety;
  models: BuiltModels;
  memory: SessionMemory | null;
  extensions: SessionExtensions;
  tools: SessionTools;
  window: BuiltWindow;
  calls: BuiltCalls;
  repositories: readonly RepositoryCommands[];
  diagnostics: BuiltDiagnostics;
};

/** The controller of a session, with everything a run needs. */
export function createController(parts: Parts, deps: CreateControllerDeps): Controller {
  const { opened, choice } = parts;
  const { core, safety, models, memory, extensions, tools, window, calls, repositories, diagnostics } = deps;
  const { router, answers, subagents } = calls;
  return new Controller({
    writer: core.writer,
    unfinished: opened.unfinished,
    ready: opened.ready.then(() => subagents.closeOpen()),
    provider: choice.preset.name,
    model: choice.model,
    contextWindow: choice.info.contextWindow,
    effort: models.effort.changed,
    updates: async () => [
      ...(await window.updates()),
      ...textParts([window.window, ...repositories].map((source) => source.updates())),
    ],
    beforePrompt: async (content, signal) => {
      const fitted = await fitPrompt(content, imageLimitsOf(choice.preset), core.notify.warn);
      const checked = await extensions.beforePrompt(fitted, signal);
      if (checked.type === 'block') return checked;
      await safety.sources.noteOrigins(checked.content);
      if (!memory) return checked;
      return { type: 'go', content: await memory.withNotes(checked.content) };
    },
    prepareRun: runPreparation(parts, {
      router,
      safety,
      answers,
      undo: core.undo,
      budget: models.budget,
      models: models.models,
      effort: models.effort,
      extensions,
      tools,
      window,
      diagnostics,
    }),
  });
}

function textParts(texts: readonly (string | null)[]): TextPart[] {
  const text = texts.filter((one) => one !== null).join('\n');
  return text === '' ? [] : [{ type: 'text', text }];
}
