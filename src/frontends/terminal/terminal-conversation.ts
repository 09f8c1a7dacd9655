import { runConversation } from '../../app/conversation/conversation.ts';
import { sessionHead } from '../../app/conversation/last-exchange.ts';
import type { TypedPrompts } from '../../app/conversation/prompt-history.ts';
import type { TypedPrompt } from '../../app/conversation/prompt-queue.ts';
import { offerTrust } from '../../app/conversation/trust-question.ts';
import {
  changePlan,
  nameOf,
  type Plan,
  type PlanChange,
  withAccountName,
} from '../../app/conversation-plan.ts';
import { offerImport } from '../../app/import/import-question.ts';
import { type Opened, openAssistant } from '../../app/open-assistant.ts';
import { byLastUsed, confirmFolder } from '../../app/opening/choose-session.ts';
import { findModel } from '../../app/opening/find-model.ts';
import { startServers } from '../../app/opening/start-servers.ts';
import { type StartedTelemetry, startTelemetry } from '../../app/opening/start-telemetry.ts';
import { footerParts } from '../../app/run-facts/footer.ts';
import { loadSettings, type Settings, sessionStore } from '../../app/settings.ts';
import { announceUpdate } from '../../app/update/announce-update.ts';
import type { Choice } from '../../assembly/models/choose-model.ts';
import { builtinCommands } from '../../commands/index.ts';
import type { SlashCommand } from '../../contract/command.ts';
import type { Provider } from '../../contract/provider.ts';
import { interruptibleWait } from '../shared/interruptible-wait.ts';
import type { Options } from '../shared/options.ts';
import type { Terminal } from '../shared/terminal.ts';
import { cycleMode } from './cycle-mode.ts';
import { firstRun } from './first-run.ts';
import { withDialogs } from './flows/commands.ts';
import type { Pickers } from './flows/pickers.ts';
import { chooseSession } from './flows/sessions.ts';
import { showStatus, showTopic } from './initial-status.ts';
import { createPickers } from './pickers.ts';
import { reviewPlanOn } from './plan-review.ts';
import { rememberLook } from './remember-look.ts';
import type { Screen } from './screen.ts';
import { paintScreen } from './start-screen.ts';
import { showStatusCommand } from './status-line/show-status-command.ts';

type Start = {
  options: Options;
  settings: Settings;
  terminal: Terminal;
  prompts: TypedPrompts;
  /** Messages that arrived between two prompts. */
  news: string[];
  /** A model that answers by a script. `afterwards` is printed after its first run. */
  script?: { choice: Choice; provider: Provider; afterwards: string };
  /** Whether sessions can go on elsewhere. */
  canHandOver?: boolean;
};

/** A session that was closed here to go on elsewhere, with the prompts that no run has taken yet. */
export type HandedOver = {
  sessionId: string;
  isRunning: boolean;
  waiting: readonly TypedPrompt[];
  options: Options;
};

/** Shared by all sessions of the process. */
type Around = { servers: Awaited<ReturnType<typeof startServers>>; leaving: AbortSignal };

/** From the first question to the last prompt, through any number of sessions and models. */
export class ScreenConversation {
  readonly screen: Screen;
  readonly #start: Start;
  readonly #desk: Pickers;
  readonly #commands: readonly SlashCommand[];
  #options: Options;
  #settings: Settings;
  #opened: Opened | null = null;
  #telemetry: StartedTelemetry | undefined;
  /** What to continue with. */
  #change: PlanChange | null = null;
  /** The session on the screen. */
  #shown: string | null = null;
  handedOver: HandedOver | null = null;

  /** Paints the screen; everything else is still loading. */
  static async open(start: Start): Promise<ScreenConversation> {
    const { settings, terminal, prompts } = start;
    const conversation: ScreenConversation = new ScreenConversation(
      start,
      await paintScreen(settings, {
        terminal,
        history: () => prompts.list(),
        commands: () => conversation.#allCommands(),
        seesImages: () => conversation.#opened?.choice.info.abilities.images ?? false,
        cycleMode: () => conversation.#cycleMode(),
        acceptEdits: () => conversation.#opened?.mode.set('accept-edits'),
        rewind: () => conversation.#rewind(),
        background: () => conversation.#handOver(),
      }),
    );
    return conversation;
  }

  private constructor(start: Start, screen: Screen) {
    this.#start = start;
    this.screen = screen;
    this.#options = start.options;
    this.#settings = start.settings;
    this.#desk = createPickers({
      screen,
      host: start.terminal,
      settings: () => this.#settings,
      model: () => (this.#opened ? nameOf(this.#opened.choice) : ''),
      switchTo: (model) => {
        this.#change = { model };
      },
      switchAccount: (account) => {
        this.#change = { account };
      },
    });
    this.#commands = withDialogs(builtinCommands, this.#desk);
  }

  /** `leaving` is aborted when the program should exit. */
  async run(leaving: AbortSignal): Promise<void> {
    const { cwd } = this.#start.terminal;
    const { root } = this.#settings;
    await this.screen.markdown.load();
    if (await offerTrust(this.#settings, this.screen, { root, cwd })) this.#reload({});
    if (await offerImport(this.#settings, this.screen)) this.#reload({});
    const choice = await this.#firstModel();
    if (!choice) return;
    const servers = await startServers(this.#settings, this.#start.terminal);
    this.#telemetry = await startTelemetry(this.#settings, this.#options, this.#start.terminal);
    await announceUpdate(this.#settings, this.#start.terminal, this.#start.news);
    try {
      const options = await this.#withSession();
      let plan: Plan | null = options && { settings: this.#settings, choice, options };
      while (plan) plan = await this.#hold(plan, { servers, leaving });
    } finally {
      await servers?.close();
      await this.#telemetry?.telemetry.close();
    }
  }

  async #firstModel(): Promise<Choice | null> {
    const { terminal, script } = this.#start;
    if (script) return script.choice;
    for (;;) {
      const choice = await findModel(this.#settings, terminal, interruptibleWait(this.screen));
      if (choice) return choice;
      const way = await firstRun(this.#settings, { screen: this.screen, terminal });
      if (way === 'quit') return null;
      this.#reload(way === 'again' ? {} : { model: way.model });
    }
  }

  /** Runs one session with one model. Resolves with what to continue with, or null at the end. */
  async #hold(plan: Plan, { servers, leaving }: Around): Promise<Plan | null> {
    const { terminal, prompts, news, script } = this.#start;
    const { cwd } = terminal;
    const { screen } = this;
    const scripted = plan.choice === script?.choice ? script : null;
    const opened = await openAssistant(plan.choice, {
      settings: this.#settings,
      options: plan.options,
      host: terminal,
      approver: screen.approver,
      ask: screen.answer,
      reviewPlan: reviewPlanOn(screen),
      ...(plan.session && { session: plan.session }),
      ...(servers && { servers }),
      ...(scripted && { provider: scripted.provider }),
      telemetry: this.#telemetry,
    });
    this.#opened = opened;
    showStatus(opened, screen, cwd);
    const hideStatusCommand = await showStatusCommand(opened, screen, terminal);
    if (scripted) printAfterFirstRun(opened, screen, scripted.afterwards);
    const { session } = opened.controller;
    screen.pager.shows({ title: session.title ?? 'Conversation', messages: () => session.messages });
    await this.#showSession(opened);
    rememberLook(screen, { settings: this.#settings, options: this.#start.options, terminal });
    const next = await runConversation('', opened, {
      talk: screen,
      next: async () => {
        if (this.#change) return null;
        showTopic(session, screen, cwd);
        return screen.next();
      },
      steering: () => screen.steering(),
      confirm: (question, signal) => screen.confirm(question, signal),
      commands: this.#commands,
      prompts,
      root: this.#settings.root,
      host: terminal,
      news,
      leaving,
      reopenWith: (folder) => {
        this.#change = { folder };
      },
      retriesOnEnter: true,
      onRunEnd: (facts, reason) =>
        screen.store.dispatch({ type: 'footer', parts: footerParts(facts, reason) }),
    });
    hideStatusCommand();
    rememberLook(screen, { settings: this.#settings, options: this.#start.options, terminal });
    if (next) return { ...plan, session: next };
    if (this.#change) return this.#goOnWith(this.#change, { plan, opened });
    if (session.messages.length > 0 && !script && !this.handedOver)
      screen.print(`Resume with: aca --resume ${session.id.slice(0, 8)}`);
    return null;
  }

  /** A fork continues what is on the screen, and so does another model. */
  async #showSession(opened: Opened): Promise<void> {
    const { session } = opened.controller;
    const before = this.#shown;
    this.#shown = session.id;
    if (before === session.id || session.messages.length === 0) return;
    if (before !== null && before === session.parent?.id) this.screen.print(sessionHead(session));
    else await (await import('./repaint.ts')).repaintConversation(opened, this.screen);
  }

  async #goOnWith(change: PlanChange, before: { plan: Plan; opened: Opened }): Promise<Plan> {
    this.#change = null;
    const plan = await changePlan(change, before, this.#start.terminal);
    this.#settings = plan.settings;
    if (!('folder' in change)) this.screen.print(`Switched to ${withAccountName(plan.choice)}.`);
    return plan;
  }

  /**
   * `--resume` without a session: the user selects one, or starts a new one. Null when its folder is
   * declined.
   */
  async #withSession(): Promise<Options | null> {
    const { resume, ...others } = this.#options;
    if (resume === undefined) return others;
    const store = sessionStore(this.#settings);
    const { cwd } = this.#start.terminal;
    const choosing = () => ({ sessions: byLastUsed(store.list()), cwd, title: 'Select a session to resume' });
    const id = resume === true ? await chooseSession(choosing(), this.#desk) : resume;
    if (id === null) return others;
    const confirm = (question: string) => this.screen.confirm(question);
    const print = (text: string) => this.screen.print(text);
    return confirmFolder({ ...others, resume: id }, { store, cwd, confirm, print });
  }

  #reload(change: Pick<Options, 'model' | 'mode'>): void {
    this.#options = { ...this.#options, ...change };
    this.#settings = loadSettings(this.#options, this.#start.terminal);
  }

  /** Those of plugins and servers are added when they are ready. */
  #allCommands(): readonly SlashCommand[] {
    const { extensions, mcp } = this.#opened ?? {};
    return [...this.#commands, ...(extensions?.commands() ?? []), ...(mcp?.commands() ?? [])];
  }

  #cycleMode(): void {
    if (this.#opened) cycleMode(this.#opened.mode);
  }

  /** Closes the session as it is: whoever opens it next continues its run. */
  #handOver(): void {
    const opened = this.#opened;
    const { canHandOver, script } = this.#start;
    if (!opened || !canHandOver || script || !opened.config.saveHistory) {
      this.screen.print('This session cannot go on in the background.');
      return;
    }
    const { busy: isRunning, session } = opened.controller;
    if (session.messages.length === 0) {
      this.screen.print('There is nothing to continue in the background yet. Send a prompt first.');
      return;
    }
    const { choice, mode, effort } = opened;
    const options = { ...this.#options, model: nameOf(choice), mode: mode.get(), effort: effort.get() };
    const waiting = this.screen.store.view.queue;
    this.handedOver = { sessionId: session.id, isRunning, waiting, options };
    this.screen.quit();
  }

  #rewind(): void {
    if (this.#opened && !this.#opened.controller.busy) this.screen.submit({ text: '/rewind', images: [] });
  }
}

function printAfterFirstRun({ controller }: Opened, screen: Screen, text: string): void {
  const stop = controller.listen((event) => {
    if (event.type !== 'end') return;
    stop();
    screen.print(text);
  });
}
