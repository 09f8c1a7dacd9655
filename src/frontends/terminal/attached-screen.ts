import type { TypedPrompts } from '../../app/conversation/prompt-history.ts';
import type { TypedPrompt } from '../../app/conversation/prompt-queue.ts';
import { nameOf } from '../../app/conversation-plan.ts';
import type { Opened } from '../../app/open-assistant.ts';
import type { SessionOptions } from '../../app/options.ts';
import type { Settings } from '../../app/settings.ts';
import type { SlashCommand } from '../../contract/command.ts';
import type { AgentEvent } from '../../contract/event.ts';
import type { Terminal } from '../shared/terminal.ts';
import { cycleMode } from './cycle-mode.ts';
import { withDialogs } from './flows/commands.ts';
import { showStatus } from './initial-status.ts';
import { createPickers } from './pickers.ts';
import type { Screen } from './screen.ts';
import { paintScreen } from './start-screen.ts';

/** A conversation that is going on elsewhere, whoever looks at it. */
export type AttachedSession = {
  opened(): Opened;
  settings(): Settings;
  /** What has happened since its last message was saved. */
  turnEvents(): readonly AgentEvent[];
  send(prompt: TypedPrompt, commands: readonly SlashCommand[]): void;
  /** False if there is nothing to interrupt. */
  interrupt(): boolean;
  change(options: Pick<SessionOptions, 'model' | 'account'>): Promise<void>;
  /** The commands of a conversation without a terminal. */
  commands: readonly SlashCommand[];
};

const QUIT: SlashCommand = {
  name: 'quit',
  description: 'Detach (the session goes on)',
  execute: async () => undefined,
};

type Place = { terminal: Terminal; prompts: TypedPrompts };

/** The screen on a conversation that it does not own: leaving it leaves the conversation alone. */
export class AttachedScreen {
  readonly screen: Screen;
  readonly #session: AttachedSession;
  readonly #cwd: string;
  readonly #commands: readonly SlashCommand[];
  #hideStatus: () => void = () => undefined;

  static async open(session: AttachedSession, { terminal, prompts }: Place): Promise<AttachedScreen> {
    const attached: AttachedScreen = new AttachedScreen(
      session,
      await paintScreen(session.settings(), {
        terminal,
        history: () => prompts.list(),
        commands: () => attached.#allCommands(),
        seesImages: () => session.opened().choice.info.abilities.images,
        cycleMode: () => cycleMode(session.opened().mode),
        acceptEdits: () => session.opened().mode.set('accept-edits'),
        rewind: () => undefined,
        background: () => attached.screen.quit(),
      }),
      terminal,
    );
    await attached.#show();
    return attached;
  }

  private constructor(session: AttachedSession, screen: Screen, terminal: Terminal) {
    this.#session = session;
    this.screen = screen;
    this.#cwd = terminal.cwd;
    const desk = createPickers({
      screen,
      host: terminal,
      settings: session.settings,
      model: () => nameOf(session.opened().choice),
      switchTo: (model) => this.#change({ model }),
      switchAccount: (account) => this.#change({ account }),
    });
    this.#commands = [...withDialogs(session.commands, desk), QUIT];
    screen.onInterrupt(() => !screen.isQuitting && session.interrupt());
  }

  /** Until the user leaves, or the terminal is closed. */
  async run(): Promise<void> {
    for (let prompt = await this.screen.next(); prompt; prompt = await this.screen.next()) {
      const text = prompt.text.trim();
      if (text === '/quit' || text === '/exit') return;
      if (text !== '' || prompt.images.length > 0) this.#session.send(prompt, this.#commands);
    }
  }

  /** The conversation was opened again with other settings. */
  reopened(): void {
    this.#hideStatus();
    this.#hideStatus = showStatus(this.#session.opened(), this.screen, this.#cwd);
    this.#shows();
  }

  async close(): Promise<void> {
    this.#hideStatus();
    await this.screen.close();
  }

  async #show(): Promise<void> {
    const opened = this.#session.opened();
    const { screen } = this;
    await screen.markdown.load();
    const { repaintConversation } = await import('./repaint.ts');
    if (opened.controller.session.messages.length > 0) await repaintConversation(opened, screen);
    for (const event of this.#session.turnEvents()) screen.push(event);
    this.#hideStatus = showStatus(opened, screen, this.#cwd);
    this.#shows();
  }

  #shows(): void {
    const { session } = this.#session.opened().controller;
    this.screen.pager.shows({ title: session.title ?? 'Conversation', messages: () => session.messages });
  }

  #change(options: Pick<SessionOptions, 'model' | 'account'>): void {
    this.#session.change(options).then(
      () => this.screen.print(`Switched to ${options.model ?? options.account}.`),
      (error: Error) => this.screen.print(error.message),
    );
  }

  #allCommands(): readonly SlashCommand[] {
    const { extensions, mcp } = this.#session.opened();
    return [...this.#commands, ...extensions.commands(), ...(mcp?.commands() ?? [])];
  }
}
