import { dispatch } from '../../commands/dispatch.ts';
import { ownCommandIn } from '../../commands/own-command.ts';
import type { CommandContext, SlashCommand } from '../../contract/command.ts';
import { following, limited, onAbort, unlessAborted } from '../../lib/async/abort.ts';
import { visible } from '../../lib/text/printable.ts';
import type { OpenSession } from '../../session/store.ts';
import type { Host } from '../host.ts';
import type { Opened } from '../open-assistant.ts';
import { userNetwork } from '../opening/user-network.ts';
import { addFolder } from './add-folder.ts';
import { type CommandParts, commandContext, commandsOf, failureMessage } from './command-context.ts';
import type { Frontend } from './frontend.ts';
import type { TypedPrompts } from './prompt-history.ts';
import type { TypedPrompt, WaitingPrompts } from './prompt-queue.ts';
import { redacted } from './redact-session.ts';
import { Runs, type RunsDeps } from './runs.ts';
import { createSessionActions } from './session-actions.ts';
import { contentOf, sentBy, steeringFrom } from './steering.ts';
import { UserShell } from './user-shell.ts';

/** Long enough for the user to have started reading the answer. */
const HOUSEKEEPING_AFTER_MS = 1000;

/**
 * Maximum delay when the user quits; memories not saved in that time are saved when the next session starts.
 */
const NOTING_MS = 3_000;

export type Stage = {
  talk: Frontend;
  /** The next prompt; null at the end of input. */
  next(): Promise<TypedPrompt | null>;
  /** Aborted when the prompt that `next` returned last is cancelled, however early. */
  turn?(): AbortSignal | undefined;
  /** The prompts for the next step of a run. Without it, all of them wait until it has ended. */
  steering?(): WaitingPrompts | null;
  /** Asks a question where only an explicit yes counts. Without it, `ask` is used. */
  confirm?(question: string, signal: AbortSignal): Promise<boolean>;
  /** The slash commands of this frontend. */
  commands?: readonly SlashCommand[];
  prompts: TypedPrompts;
  /** The data root. */
  root: string;
  host: Host;
  /** Messages that arrived between two prompts, shown before the next one. */
  news: string[];
  /** Aborted when the program should exit: nothing is started after that. */
  leaving: AbortSignal;
  /** Continues with another folder, once `next` has been called. */
  reopenWith?(folder: string): void;
  onRunEnd?: RunsDeps['onRunEnd'];
  /** Called after messages were removed from the conversation. */
  onRewound?(): void;
  /** An empty prompt sends again what failed. */
  retriesOnEnter?: true;
};

/** Runs one session, prompt by prompt. Resolves with the session to continue with, or null at the end. */
export async function runConversation(
  prompt: string,
  opened: Opened,
  stage: Stage,
): Promise<OpenSession | null> {
  const { controller } = opened;
  const { talk, prompts, host, news, leaving } = stage;
  const ownCommands = new UserShell(host);
  const confirm = stage.confirm ?? confirmByLetter(talk);
  let begun: Begun | undefined;
  listenForInterrupts(opened, stage, { ownCommands, begun: () => begun });
  let goOn: OpenSession | null = null;
  let quitting = false;
  const desk = createSessionActions({
    opened: opened.opened,
    store: opened.store,
    keeps: opened.config.saveHistory,
    cwd: host.cwd,
    redact: (session) => redacted(session, opened.privacy),
    confirm: (question) => confirm(question, begun?.signal ?? leaving),
    warn: (text) => controller.notice('warn', text),
    ...(stage.onRewound && { onRewound: stage.onRewound }),
    goOn: (session) => {
      goOn = session;
      quitting = true;
    },
  });
  controller.listen((event) => {
    if (event.type === 'message') void desk.messageAdded();
  });
  const commands = () => commandsOf(opened, stage.commands);
  const runs = new Runs({ ...opened, cwd: host.cwd, onRunEnd: stage.onRunEnd });
  const contextFor = (from: TypedPrompt, signal: AbortSignal) =>
    contextOn(stage, opened, {
      submit: async (content, options) => {
        if (!signal.aborted) await runs.submit([...sentBy(content, from), ...(from.context ?? [])], options);
      },
      sessions: desk,
      commands,
      confirm: (question) => confirm(question, signal),
      signal,
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
  const waiting = () => stage.steering?.() ?? null;
  const obeyNow = (from: TypedPrompt) => obey(from.text, contextFor(from, leaving));
  controller.steerWith(steeringFrom({ waiting, expand: opened.attach, history: prompts, obey: obeyNow }));
  let typed: TypedPrompt | null = { text: prompt, images: [] };
  for (; typed !== null; typed = await next()) {
    const { text, images } = typed;
    begun = beginningOf(stage.turn?.());
    const { signal } = begun;
    const isEmpty = text.trim() === '' && images.length === 0;
    if (typed.resumes && !signal.aborted) await runs.resume();
    else if (isEmpty && stage.retriesOnEnter) await runs.retry();
    if (isEmpty || signal.aborted) continue;
    runs.dismiss();
    await prompts.add(text);
    const own = ownCommandIn(text);
    if (own !== null) {
      if (!signal.aborted) await ownCommands.run(own, (output) => talk.print(visible(output)));
      continue;
    }
    // Plugins may still be loading, and the command may be one of theirs.
    if (text.startsWith('/')) await unlessAborted(opened.extensions.plugins(), signal);
    if (signal.aborted || (await obey(text, contextFor(typed, signal)))) continue;
    const content = await unlessAborted(opened.attach(contentOf(typed)), signal);
    if (!content || signal.aborted) continue;
    begun = undefined;
    await runs.submit([...ownCommands.takeTold(), ...content]);
    scheduleChores(opened, stage);
  }
  begun = undefined;
  await ownCommands.close();
  await endSession(opened, stage);
  tellNews();
  return goOn;
}

/** A prompt that no run answers yet: a command, or one that is being prepared. */
type Begun = { signal: AbortSignal; abort(): void };

function beginningOf(turn: AbortSignal | undefined): Begun {
  if (turn) return following(turn);
  const own = new AbortController();
  return { signal: own.signal, abort: () => own.abort() };
}

type Interruptible = { ownCommands: UserShell; begun(): Begun | undefined };

function listenForInterrupts(
  { controller, repositories }: Opened,
  { talk, leaving }: Stage,
  { ownCommands, begun }: Interruptible,
): void {
  talk.onInterrupt(() => {
    if (ownCommands.interrupt()) return true;
    const prompt = begun();
    if (controller.busy) controller.interrupt();
    else if (repositories.some((one) => one.interrupt())) return true;
    // A command that ignores its signal must not block the user: the second interrupt ends the conversation.
    else if (prompt && !prompt.signal.aborted) prompt.abort();
    else return false;
    return true;
  });
  onAbort(leaving, () => {
    ownCommands.interrupt();
    for (const one of repositories) one.interrupt();
    begun()?.abort();
    void controller.stop();
  });
}

/** Saves memories, unless interrupted, and closes the session. */
async function endSession({ noteAtEnd, close }: Opened, { talk, leaving }: Stage): Promise<void> {
  const leave = following(leaving);
  talk.onInterrupt(() => {
    leave.abort();
    return true;
  });
  if (!leaving.aborted) await noteAtEnd(limited(NOTING_MS, leave.signal));
  await close();
}

type Actions = Pick<CommandParts, 'submit' | 'sessions' | 'commands' | 'confirm' | 'signal' | 'quit'>;

function contextOn(stage: Stage, opened: Opened, actions: Actions): CommandContext {
  const { talk, prompts, host, reopenWith: reopen } = stage;
  const { confirm, signal } = actions;
  return commandContext(opened, {
    ...actions,
    host,
    print: (text) => talk.print(text),
    ask: (question) => talk.ask(question, signal),
    prompts: () => prompts.list(),
    ...(reopen && {
      addFolder: (folder: string) => addFolder(folder, { opened, cwd: host.cwd, confirm, reopen }),
    }),
  });
}

/**
 * Whether the line was a command. Errors that the user can fix, and provider errors, end the command but not
 * the conversation.
 */
export async function obey(line: string, context: CommandContext): Promise<boolean> {
  try {
    return await dispatch(line, context);
  } catch (error) {
    const told = failureMessage(error, context.signal);
    if (told === null) throw error;
    context.print(told);
    return true;
  }
}

export function confirmByLetter(talk: Pick<Frontend, 'ask'>) {
  return async (question: string, signal?: AbortSignal): Promise<boolean> =>
    (await talk.ask(`${question} [y/n] `, signal))?.trim().toLowerCase() === 'y';
}

function scheduleChores(opened: Opened, stage: Stage): void {
  scheduleHousekeeping(opened, stage);
  scheduleUpdateCheck(opened, stage);
}

/** Stays out of the way: some time after an answer, while nothing runs, and at most once a day. */
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

/** In the background, at most once a day; the result is shown at the next start. */
function scheduleUpdateCheck({ config, settings }: Opened, { host: { env, program } }: Stage): void {
  const look = async () => {
    const { checkForUpdate } = await import('../update/notice.ts');
    const { runsFromSource } = await import('../update/install-method.ts');
    await checkForUpdate(
      { root: settings.root, config, env, fromSource: runsFromSource(program) },
      async () => {
        const { http } = await userNetwork(config, env);
        return http;
      },
    );
  };
  // Not awaited, and errors are ignored: `aca update` reports them.
  setTimeout(() => void look().catch(() => undefined), HOUSEKEEPING_AFTER_MS).unref();
}
