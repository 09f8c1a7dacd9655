import { dispatch } from '../../commands/dispatch.ts';
import { builtinCommands } from '../../commands/index.ts';
import { ownCommandIn } from '../../commands/own-command.ts';
import type { CommandContext, FileHistory, SlashCommand } from '../../contract/command.ts';
import { BudgetReachedError, ProviderError, UserError } from '../../contract/errors.ts';
import type { ImagePart } from '../../contract/message.ts';
import { following, limited } from '../../lib/async/abort.ts';
import { visible } from '../../lib/text/printable.ts';
import type { OpenSession } from '../../session/store.ts';
import type { UndoStore } from '../../session/undo/undo-store.ts';
import { checkHealth, settingStates } from '../doctor/conversation-checks.ts';
import type { Host } from '../host.ts';
import { type Opened, userNetwork } from '../open-assistant.ts';
import type { Frontend } from './frontend.ts';
import type { TypedPrompts } from './prompt-history.ts';
import { redacted } from './redact-session.ts';
import { createDesk } from './session-actions.ts';
import { UserShell } from './user-shell.ts';

/** By then whoever asked has begun to read the answer. */
const HOUSEKEEPING_AFTER_MS = 1000;

/** How long somebody who leaves may be kept; what is not noted by then is noted when the next session begins. */
const NOTING_MS = 3_000;

/** What a user sends. */
type Typed = { text: string; images: readonly ImagePart[] };

export type Stage = {
  talk: Frontend;
  /** The next prompt; null when nothing more comes. */
  next(): Promise<Typed | null>;
  /** Puts a question that only a plain yes agrees to; without it, it is a line to answer. */
  confirm?(question: string, signal: AbortSignal): Promise<boolean>;
  /** As this face has them. */
  commands?: readonly SlashCommand[];
  prompts: TypedPrompts;
  /** The data root. */
  root: string;
  host: Host;
  /** What came up between two prompts; it is told before the next. */
  news: string[];
  /** Comes when the program is asked to end: nothing runs from then on. */
  leaving: AbortSignal;
};

/** One session, prompt by prompt. Resolves with the session to go on with, or null at the end. */
export async function runConversation(
  prompt: string,
  opened: Opened,
  stage: Stage,
): Promise<OpenSession | null> {
  const { controller, mode, permissions, window, spending, memory, noteAtEnd, close } = opened;
  const { talk, prompts, host, news, leaving } = stage;
  const { cwd, env } = host;
  const ownCommands = new UserShell({ cwd, env });
  const confirm = stage.confirm ?? confirmByLetter(talk);
  let command: AbortController | undefined;
  talk.onInterrupt(() => {
    if (ownCommands.interrupt()) return true;
    if (controller.busy) controller.interrupt();
    else if (opened.repository.interrupt()) return true;
    // One that does not listen must not hold anybody: the second time, the conversation ends.
    else if (command && !command.signal.aborted) command.abort();
    else return false;
    return true;
  });
  leaving.addEventListener('abort', () => {
    ownCommands.interrupt();
    opened.repository.interrupt();
    command?.abort();
    void controller.stop();
  });
  let goOn: OpenSession | null = null;
  let quitting = false;
  const desk = createDesk({
    opened: opened.opened,
    store: opened.store,
    keeps: opened.config.saveHistory,
    cwd,
    redact: (session) => redacted(session, opened.privacy),
    confirm: (question) => confirm(question, command?.signal ?? leaving),
    warn: (text) => controller.notice('warn', text),
    goOn: (session) => {
      goOn = session;
      quitting = true;
    },
  });
  controller.listen((event) => {
    if (event.type === 'message') void desk.messageAdded();
  });
  const commands = () => [
    ...(stage.commands ?? builtinCommands),
    ...opened.extensions.commands(),
    ...(opened.mcp?.commands() ?? []),
  ];
  const contextFor = (signal: AbortSignal): CommandContext => ({
    get commands() {
      return commands();
    },
    cwd,
    signal,
    print: (text) => talk.print(visible(text)),
    ask: (question) => talk.ask(question, signal),
    confirm: (question) => confirm(question, signal),
    files: fileHistory(opened.undo),
    sessions: desk,
    prompts: () => prompts.list(),
    mode,
    permissions,
    window,
    spending,
    cache: opened.cache,
    figures: opened.record.figures,
    log: opened.record.log,
    ...(memory && { memory }),
    ...(opened.mcp && { mcp: opened.mcp }),
    repository: opened.repository,
    extensions: opened.extensions,
    settings: () => settingStates(opened.settings),
    health: () => checkHealth(opened, host),
    call: opened.call,
    submit: async (content, options) => void (await controller.submit(content, options)),
    quit: () => {
      quitting = true;
    },
  });
  talk.completeWith?.(() => commands().map(({ name }) => name));
  const tellNews = () => {
    for (const text of news.splice(0)) talk.print(visible(text));
  };
  const next = async () => {
    if (quitting || leaving.aborted) return null;
    tellNews();
    return stage.next();
  };
  const first: Typed = { text: prompt, images: [] };
  for (let typed: Typed | null = first; typed !== null; typed = await next()) {
    const { text, images } = typed;
    if (text.trim() === '' && images.length === 0) continue;
    await prompts.add(text);
    const own = ownCommandIn(text);
    if (own !== null) {
      await ownCommands.run(own, (output) => talk.print(visible(output)));
      continue;
    }
    // Plugins may still be on their way; what looks like a command may be theirs.
    if (text.startsWith('/')) await opened.extensions.plugins();
    command = new AbortController();
    const isCommand = await obey(text, contextFor(command.signal));
    command = undefined;
    if (isCommand) continue;
    const content = [...ownCommands.takeTold(), { type: 'text' as const, text }, ...images];
    await controller.submit((await opened.mcp?.withResources(content)) ?? content);
    scheduleHousekeeping(opened, stage);
    scheduleUpdateCheck(opened, stage);
  }
  const leave = following(leaving);
  talk.onInterrupt(() => {
    leave.abort();
    return true;
  });
  await ownCommands.close();
  if (!leaving.aborted) await noteAtEnd(limited(NOTING_MS, leave.signal));
  await close();
  tellNews();
  return goOn;
}

/** Whether the line was a command. What a user can mend, or a model refused, ends the command, not the conversation. */
async function obey(line: string, context: CommandContext): Promise<boolean> {
  try {
    return await dispatch(line, context);
  } catch (error) {
    const told = failureMessage(error, context.signal);
    if (told === null) throw error;
    context.print(told);
    return true;
  }
}

/** Null for a bug. */
function failureMessage(error: unknown, signal: AbortSignal): string | null {
  if (signal.aborted && (error === signal.reason || error instanceof ProviderError)) return 'Interrupted.';
  if (error instanceof UserError || error instanceof BudgetReachedError)
    return `${error.message} ${error.hint}`;
  return error instanceof ProviderError ? error.message : null;
}

export function confirmByLetter(talk: Pick<Frontend, 'ask'>) {
  return async (question: string, signal?: AbortSignal): Promise<boolean> =>
    (await talk.ask(`${question} [y/n] `, signal))?.trim().toLowerCase() === 'y';
}

function fileHistory(undo: UndoStore): FileHistory {
  return {
    async runs() {
      const runs = await undo.runs();
      return runs.map(({ at, changes }) => {
        const sure = changes.filter(({ doubt }) => doubt === undefined);
        return { at, paths: sure.map(({ path }) => path) };
      });
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
function scheduleHousekeeping(opened: Opened, { root, news }: Stage): void {
  const { controller, store, config } = opened;
  const keep = async () => {
    if (controller.busy) return;
    const { dailyHousekeeping } = await import('../housekeeping/housekeeping.ts');
    news.push(...(await dailyHousekeeping({ root, store, config })));
  };
  setTimeout(() => {
    keep().catch((error: Error) => news.push(`Old sessions could not be removed: ${error.message}.`));
  }, HOUSEKEEPING_AFTER_MS).unref();
}

/** In the background, at most once a day; what is learnt is told at the next start. */
function scheduleUpdateCheck({ config, settings }: Opened, { host: { env } }: Stage): void {
  const look = async () => {
    const { checkForUpdate } = await import('../update/notice.ts');
    await checkForUpdate({ root: settings.root, config, env }, async () => {
      const { http } = await userNetwork(config, env);
      return http;
    });
  };
  // Nobody waits for it, and nobody is bothered with its troubles: `aca update` tells them.
  setTimeout(() => void look().catch(() => undefined), HOUSEKEEPING_AFTER_MS).unref();
}
