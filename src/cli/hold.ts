import { dispatch } from '../commands/dispatch.ts';
import { builtinCommands } from '../commands/index.ts';
import type { CommandContext, FileHistory } from '../contract/command.ts';
import { BudgetReachedError, ProviderError, UserError } from '../contract/errors.ts';
import type { OpenSession } from '../session/store.ts';
import type { UndoStore } from '../session/undo/undo-store.ts';
import type { Conversation } from './conversation.ts';
import type { Opened } from './open.ts';
import { createDesk } from './session-desk.ts';
import type { TypedPrompts } from './typed-prompts.ts';
import { visible } from './visible.ts';

/** By then whoever asked has begun to read the answer. */
const HOUSEKEEPING_AFTER_MS = 1000;

/** How long somebody who leaves may be kept; what is not noted by then is noted when the next session begins. */
const NOTING_MS = 3_000;

export type Stage = {
  talk: Conversation;
  prompts: TypedPrompts;
  /** The data root. */
  root: string;
  cwd: string;
  /** What came up between two prompts; it is told before the next. */
  news: string[];
};

/** One session, prompt by prompt. Resolves with the session to go on with, or null at the end. */
export async function hold(prompt: string, opened: Opened, stage: Stage): Promise<OpenSession | null> {
  const { controller, mode, permissions, window, spending, memory, noteAtEnd, close } = opened;
  const { talk, prompts, cwd, news } = stage;
  let command: AbortController | undefined;
  talk.onInterrupt(() => {
    if (controller.busy) controller.interrupt();
    // One that does not listen must not hold anybody: the second time, the conversation ends.
    else if (command && !command.signal.aborted) command.abort();
    else return false;
    return true;
  });
  let next: OpenSession | null = null;
  let quitting = false;
  const desk = createDesk({
    opened: opened.opened,
    store: opened.store,
    keeps: opened.config.saveHistory,
    cwd,
    warn: (text) => controller.notice('warn', text),
    goOn: (session) => {
      next = session;
      quitting = true;
    },
  });
  controller.listen((event) => {
    if (event.type === 'message') void desk.messageAdded();
  });
  const contextFor = (signal: AbortSignal): CommandContext => ({
    commands: builtinCommands,
    cwd,
    signal,
    print: (text) => talk.print(visible(text)),
    ask: (question) => talk.ask(question, signal),
    confirm: async (question) => (await talk.ask(`${question} [y/n] `, signal))?.trim().toLowerCase() === 'y',
    files: fileHistory(opened.undo),
    sessions: desk,
    prompts: () => prompts.list(),
    mode,
    permissions,
    window,
    spending,
    cache: opened.cache,
    ...(memory && { memory }),
    quit: () => {
      quitting = true;
    },
  });
  const tellNews = () => {
    for (const text of news.splice(0)) talk.print(visible(text));
  };
  const nextLine = async () => {
    if (quitting) return null;
    tellNews();
    return talk.prompt();
  };
  for (let line: string | null = prompt; line !== null; line = await nextLine()) {
    if (line.trim() === '') continue;
    await prompts.add(line);
    command = new AbortController();
    const isCommand = await obey(line, contextFor(command.signal));
    command = undefined;
    if (isCommand) continue;
    await controller.submit([{ type: 'text', text: line }]);
    keepHouseLater(opened, stage);
  }
  const leave = new AbortController();
  talk.onInterrupt(() => {
    leave.abort();
    return true;
  });
  await noteAtEnd(AbortSignal.any([leave.signal, AbortSignal.timeout(NOTING_MS)]));
  await close();
  tellNews();
  return next;
}

/** Whether the line was a command. What a user can mend, or a model refused, ends the command, not the conversation. */
async function obey(line: string, context: CommandContext): Promise<boolean> {
  try {
    return await dispatch(line, context);
  } catch (error) {
    const told = failureWords(error, context.signal);
    if (told === null) throw error;
    context.print(told);
    return true;
  }
}

/** Null for a bug. */
function failureWords(error: unknown, signal: AbortSignal): string | null {
  if (signal.aborted && (error === signal.reason || error instanceof ProviderError)) return 'Interrupted.';
  if (error instanceof UserError || error instanceof BudgetReachedError)
    return `${error.message} ${error.hint}`;
  return error instanceof ProviderError ? error.message : null;
}

function fileHistory(undo: UndoStore): FileHistory {
  return {
    async runs() {
      const runs = await undo.runs();
      return runs.map(({ at, changes }) => ({ at, paths: changes.map(({ path }) => path) }));
    },
    async undo(since) {
      if (since === undefined) return undo.previewUndo();
      const first = (await undo.runs()).find(({ at }) => at >= since);
      return first ? undo.previewUndo(first.index) : null;
    },
    redo: () => undo.previewRedo(),
  };
}

/** Never in the way: some time after an answer, while nothing runs, and at most once a day. */
function keepHouseLater(opened: Opened, { root, news }: Stage): void {
  const { controller, store, config } = opened;
  const keep = async () => {
    if (controller.busy) return;
    const { keepHouseDaily } = await import('./housekeeping.ts');
    const told = await keepHouseDaily({ root, store, config });
    if (told !== null) news.push(told);
  };
  setTimeout(() => {
    keep().catch((error: Error) => news.push(`Old sessions could not be removed: ${error.message}.`));
  }, HOUSEKEEPING_AFTER_MS).unref();
}
