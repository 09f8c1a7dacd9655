import { commandsOf } from '../../app/conversation/command-context.ts';
import { obey } from '../../app/conversation/conversation.ts';
import type { TypedPrompts } from '../../app/conversation/prompt-history.ts';
import type { TypedPrompt } from '../../app/conversation/prompt-queue.ts';
import { nameOf } from '../../app/conversation-plan.ts';
import type { Opened } from '../../app/open-assistant.ts';
import type { SessionOptions } from '../../app/options.ts';
import type { Settings } from '../../app/settings.ts';
import { commandNamed } from '../../commands/command-named.ts';
import { commandIn } from '../../commands/dispatch.ts';
import { builtinCommands } from '../../commands/index.ts';
import type { CommandContext, ModeSwitch, SlashCommand } from '../../contract/command.ts';
import type { AgentEvent } from '../../contract/event.ts';
import type { PermissionMode } from '../../contract/permission.ts';
import type { Terminal } from '../shared/terminal.ts';
import { cycleMode } from './cycle-mode.ts';
import { withDialogs } from './flows/commands.ts';
import { showStatus } from './initial-status.ts';
import { createPickers } from './pickers.ts';
import type { Screen } from './screen.ts';
import { paintScreen } from './start-screen.ts';
import { showStatusCommand } from './status-line/show-status-command.ts';
import type { Dialog, ShowDialog } from './view/dialog.ts';

/** What differs for the commands of one terminal. */
export type OwnTalk = Pick<CommandContext, 'print' | 'ask' | 'confirm' | 'signal' | 'quit'> & {
  commands(): readonly SlashCommand[];
};

/** A conversation that is going on elsewhere, whoever looks at it. */
export type AttachedSession = {
  /** What the user of this screen may do. */
  role: 'owner' | 'editor' | 'viewer';
  opened(): Opened;
  settings(): Settings;
  /** What has happened since its last message was saved. */
  turnEvents(): readonly AgentEvent[];
  send(prompt: TypedPrompt, commands: readonly SlashCommand[]): void;
  /** The user's prompts that no run has taken yet, and a way to take back the last. */
  waiting(): number;
  /** Whether a prompt of somebody else waits. */
  othersWait(): boolean;
  takeBack(): TypedPrompt | null;
  /** False if there is nothing to interrupt. */
  interrupt(): boolean;
  /** The mode was changed in this terminal. */
  onMode(mode: PermissionMode): void;
  change(options: Pick<SessionOptions, 'model' | 'account'>): Promise<void>;
  /** For a command that concerns this terminal only: another session opens here, and the others stay. */
  ownContext(talk: OwnTalk): CommandContext;
};

/** They concern this terminal only: they run at once, whatever the session does, and nobody else sees them. */
const OWN = new Set(['clear', 'fork', 'help', 'quit', 'resume', 'sessions', 'theme']);
/** Without arguments they only show or select something, which nobody has to wait for. */
const OWN_PICKERS = new Set(['account', 'context', 'mcp', 'memory', 'mode', 'model', 'permissions']);

/** They only show something, or leave. */
const FOR_VIEWERS = new Set(['context', 'help', 'quit']);
const WATCHING = 'You can only watch this session. Ask its owner for an invitation as editor.';

type Place = { terminal: Terminal; prompts: TypedPrompts };

/** The screen on a conversation that it does not own: leaving it leaves the conversation alone. */
export class AttachedScreen {
  readonly screen: Screen;
  readonly #session: AttachedSession;
  readonly #terminal: Terminal;
  readonly #prompts: TypedPrompts;
  /** For prompts that everyone waits for, and for this terminal alone. */
  readonly #commands: readonly SlashCommand[];
  readonly #ownCommands: readonly SlashCommand[];
  #hideStatus: () => void = () => undefined;
  /** Of the command of this terminal that runs. */
  #own: AbortController | null = null;
  /** Of the dialog of this terminal that everyone waits for. */
  #dialog = new AbortController();

  static async open(session: AttachedSession, { terminal, prompts }: Place): Promise<AttachedScreen> {
    const attached: AttachedScreen = new AttachedScreen(
      session,
      await paintScreen(session.settings(), {
        terminal,
        history: () => prompts.list(),
        commands: () => commandsOf(session.opened(), attached.#commands),
        // Their images are on another machine.
        seesImages: () => session.role === 'owner' && session.opened().choice.info.abilities.images,
        cycleMode: () => attached.#changeMode((mode) => cycleMode(mode)),
        acceptEdits: () => attached.#changeMode((mode) => mode.set('accept-edits')),
        role: session.role,
        rewind: () => {
          if (!session.opened().controller.busy) attached.#send({ text: '/rewind', images: [] });
        },
        background: () => attached.screen.quit(),
        shared: {
          add: (prompt) => attached.#send(prompt),
          get length() {
            return session.waiting();
          },
          takeBack: () => session.takeBack(),
        },
      }),
      { terminal, prompts },
    );
    await attached.#show();
    return attached;
  }

  private constructor(session: AttachedSession, screen: Screen, { terminal, prompts }: Place) {
    this.#session = session;
    this.screen = screen;
    this.#terminal = terminal;
    this.#prompts = prompts;
    const desk = createPickers({
      screen,
      host: terminal,
      settings: session.settings,
      model: () => nameOf(session.opened().choice),
      switchTo: (model) => this.#change({ model }),
      switchAccount: (account) => this.#change({ account }),
    });
    const commandsOn = (show: ShowDialog) =>
      withDialogs(builtinCommands, { ...desk, show })
        .filter(this.#isFor)
        .map((command) =>
          command.name === 'quit' ? { ...command, description: 'Detach (the session goes on)' } : command,
        );
    this.#commands = commandsOn((dialog) => this.#showInTurn(dialog));
    this.#ownCommands = commandsOn((dialog) => screen.dialogs.show(dialog, this.#own?.signal));
    screen.onInterrupt(() => this.#interrupt());
  }

  /** Until the user leaves, or the terminal is closed. */
  async run(): Promise<void> {
    await this.screen.next();
    this.#own?.abort();
  }

  /** Prompts of others do not wait for a dialog of this terminal: what it shows is about to change anyway. */
  giveWay(): void {
    if (this.#session.othersWait()) this.#dialog.abort();
  }

  /** The conversation was opened again with other settings. */
  reopened(): void {
    this.#hideStatus();
    this.#showState();
  }

  async close(): Promise<void> {
    this.#hideStatus();
    this.screen.store.dispatch({ type: 'left' });
    await this.screen.close();
  }

  async #show(): Promise<void> {
    const opened = this.#session.opened();
    const { screen } = this;
    await screen.markdown.load();
    const { repaintConversation } = await import('./repaint.ts');
    if (opened.controller.session.messages.length > 0) await repaintConversation(opened, screen);
    for (const event of this.#session.turnEvents()) screen.push(event);
    this.#showState();
  }

  readonly #isFor = ({ name, forGuests }: SlashCommand): boolean => {
    const { role } = this.#session;
    if (role === 'viewer') return FOR_VIEWERS.has(name);
    return role === 'owner' || forGuests === true || name === 'quit';
  };

  #changeMode(change: (mode: ModeSwitch) => void): void {
    if (this.#session.role === 'viewer') {
      this.screen.print(WATCHING);
      return;
    }
    const { mode } = this.#session.opened();
    change(mode);
    this.#session.onMode(mode.get());
  }

  #showState(): void {
    const opened = this.#session.opened();
    const { session } = opened.controller;
    const { screen } = this;
    const hide = showStatus(opened, screen, this.#terminal.cwd);
    // The owner's program runs for the owner only.
    const command =
      this.#session.role === 'owner' ? showStatusCommand(opened, screen, this.#terminal) : undefined;
    this.#hideStatus = () => {
      hide();
      void command?.then((hideCommand) => hideCommand());
    };
    screen.pager.shows({ title: session.title ?? 'Conversation', messages: () => session.messages });
  }

  #send(prompt: TypedPrompt): void {
    const typed = commandIn(prompt.text);
    const name = typed && commandNamed(typed.name, this.#commands)?.name;
    if (name && (OWN.has(name) || (OWN_PICKERS.has(name) && typed.words.length === 0)))
      void this.#runOwn(prompt.text.trim());
    else if (this.#session.role === 'viewer') this.screen.print(WATCHING);
    else {
      const waits = this.#session.settings().config.queue === 'after';
      this.#session.send(waits ? { ...prompt, after: true } : prompt, this.#commands);
    }
  }

  async #showInTurn<Result>(dialog: Dialog<Result>): Promise<Result | null> {
    this.#dialog = new AbortController();
    const { signal } = this.#dialog;
    this.giveWay();
    const result = await this.screen.dialogs.show(dialog, signal);
    if (signal.aborted) this.screen.print('Closed: somebody else sent a prompt.');
    return result;
  }

  async #runOwn(line: string): Promise<void> {
    const { screen } = this;
    screen.store.dispatch({ type: 'prompted', text: line });
    if (this.#own) {
      screen.print('Another command is still running. Press Ctrl+C to stop it.');
      return;
    }
    this.#own = new AbortController();
    const { signal } = this.#own;
    const context = this.#session.ownContext({
      print: (text) => screen.print(text),
      ask: (question) => screen.ask(question, signal),
      confirm: (question) => screen.confirm(question, signal),
      commands: () => commandsOf(this.#session.opened(), this.#ownCommands),
      signal,
      quit: () => screen.quit(),
    });
    const { mode } = this.#session.opened();
    const before = mode.get();
    try {
      await this.#prompts.add(line);
      await obey(line, context);
      if (mode.get() !== before) this.#session.onMode(mode.get());
    } catch (error) {
      screen.print((error as Error).message);
    } finally {
      this.#own = null;
    }
  }

  #interrupt(): boolean {
    if (this.screen.isQuitting) return false;
    if (!this.#own) return this.#session.interrupt();
    this.#own.abort();
    return true;
  }

  #change(options: Pick<SessionOptions, 'model' | 'account'>): void {
    this.#session.change(options).then(
      () => this.screen.print(`Switched to ${options.model ?? options.account}.`),
      (error: Error) => this.screen.print(error.message),
    );
  }
}
