import { RequestError, type SessionConfigOption } from '@agentclientprotocol/sdk';
import { runConversation, type Stage } from '../../app/conversation/conversation.ts';
import { TypedPrompts } from '../../app/conversation/prompt-history.ts';
import type { TypedPrompt } from '../../app/conversation/prompt-queue.ts';
import { nameOf } from '../../app/conversation-plan.ts';
import type { Host } from '../../app/host.ts';
import { type Opened, openAssistant } from '../../app/open-assistant.ts';
import { findModel } from '../../app/opening/find-model.ts';
import type { SessionOptions } from '../../app/options.ts';
import { loadSettings, type Settings } from '../../app/settings.ts';
import type { Choice } from '../../assembly/models/choose-model.ts';
import type { PermissionMode } from '../../contract/permission.ts';
import { following } from '../../lib/async/abort.ts';
import { visible } from '../../lib/text/printable.ts';
import { AboutSession } from './about-session.ts';
import type { Client } from './client.ts';
import { configOptions } from './config-options.ts';
import { FileCompletion } from './file-completion.ts';
import { askedCall, optionsFor } from './permission-options.ts';
import { PromptTurns, type SentPrompt, type TurnEnd } from './prompt-turns.ts';
import { mayChangeFiles, SessionChanges } from './session-changes.ts';
import { choicesIn, KeptChoices, optionsOf } from './session-choices.ts';
import { commandsFor } from './session-commands.ts';
import { SharedModelList } from './shared-model-list.ts';
import { isTrusted } from './trust-offer.ts';
import { historyUpdates, type PastUpdate } from './updates/history-updates.ts';
import { turnEndOf } from './updates/run-end.ts';
import type { SessionEvent } from './updates/session-event.ts';
import { nestsCalls, SessionUpdates } from './updates/session-updates.ts';

type SessionDeps = {
  client: Client;
  host: Host;
  /** Aborted when the program ends. */
  leaving: AbortSignal;
};

type Around = SessionDeps & { id: string; options: SessionOptions };

/** One session of an editor: the same conversation as in a terminal, with the editor as its frontend. */
export class AcpSession {
  readonly id: string;
  readonly #host: Host;
  readonly #client: Client;
  readonly #updates: SessionUpdates;
  readonly #turns = new PromptTurns({
    taken: (prompts) => {
      for (const prompt of prompts)
        if (!this.#turnOf.has(prompt)) this.#turnOf.set(prompt, this.#turn.signal);
      this.#tell({ type: 'prompted', prompts });
    },
    waiting: (prompts) => this.#tell({ type: 'waiting', prompts }),
    settled: (prompt) => this.#tell({ type: 'settled', prompt }),
  });
  readonly #listeners = new Set<(event: SessionEvent) => void>();
  readonly files: FileCompletion;
  readonly #models: SharedModelList;
  readonly changes: SessionChanges;
  readonly #choices = new KeptChoices();
  readonly #about: AboutSession;
  readonly #leaving;
  #options: SessionOptions;
  #settings: Settings;
  /** The model of the next prompt. */
  #choice!: Choice;
  #opened!: Opened;
  #running: Promise<void> = Promise.resolve();
  #interrupt: () => boolean = () => false;
  /** How the current turn ends. */
  #end: TurnEnd = 'end_turn';
  /** Cancels the prompts that were sent since the last cancellation. */
  #turn = new AbortController();
  readonly #turnOf = new WeakMap<TypedPrompt, AbortSignal>();
  /** The settings changed: the conversation is opened again before the next prompt. */
  #changed = false;
  #trustAsked = false;
  /** Taken while the conversation was not open. */
  #taken: TypedPrompt | null = null;

  static async open(around: Around): Promise<AcpSession> {
    const session = new AcpSession(around);
    session.#opened = await session.#open();
    session.#running = session.#run();
    return session;
  }

  private constructor({ id, options, client, host, leaving }: Around) {
    this.id = id;
    this.#options = options;
    this.#host = host;
    this.#client = client;
    this.#models = new SharedModelList(host);
    this.#about = new AboutSession(client);
    this.#updates = new SessionUpdates({ cwd: host.cwd, client: client.capabilities });
    this.#leaving = following(leaving);
    this.#settings = loadSettings(options, host);
    this.files = new FileCompletion(host.cwd);
    this.changes = new SessionChanges({
      undo: () => this.#opened.undo,
      client: this.#client,
      cwd: host.cwd,
      isBusy: () => this.isBusy,
    });
  }

  get opened(): Opened {
    return this.#opened;
  }

  get settings(): Settings {
    return this.#settings;
  }

  get isBusy(): boolean {
    return this.#turns.isBusy;
  }

  /** For another session that continues in the same way. */
  get choices(): Partial<SessionOptions> {
    const { sessionId: _, resume: __, forceDir: ___, ...others } = this.#options;
    return { ...others, model: nameOf(this.#opened.choice), mode: this.mode };
  }

  /** The prompts that no run has taken yet. */
  get waiting(): readonly SentPrompt[] {
    return this.#turns.waiting;
  }

  takeBack(fits: (prompt: SentPrompt) => boolean): SentPrompt | null {
    return this.#turns.takeBack(fits);
  }

  /** Returns a function that removes the listener. */
  listen(listener: (event: SessionEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  get mode(): PermissionMode {
    return this.#opened.mode.get();
  }

  /** What the editor may show once it knows the session. */
  announce(): void {
    this.#about.begin();
    const { notices, extensions, opened } = this.#opened;
    for (const text of notices) this.#client.update(...this.#updates.notice('warning', visible(text)));
    this.#about.tellCommands(this.#opened);
    void extensions.plugins().then(() => this.#about.tellCommands(this.#opened));
    void opened.ready.then(() => this.#about.tellTitle(this.#opened));
  }

  /** The conversations of its subagents, as saved so far, if the client shows their calls. */
  async subagents() {
    return nestsCalls(this.#client.capabilities) ? this.#opened.opened.subagents.all() : [];
  }

  /** The conversation so far, or this many messages of it. All of them must have been loaded. */
  past(subagents: Opened['controller']['session'][], count?: number): PastUpdate[] {
    const { messages, decisions } = this.#opened.controller.session;
    return historyUpdates({ messages, count, subagents, ...(decisions && { decisions }) }, this.#host.cwd);
  }

  /** Prompts of an earlier process that no run has taken: they go with the next prompt. */
  hold(prompts: readonly SentPrompt[]): void {
    this.#turns.hold(prompts);
  }

  async prompt(prompt: SentPrompt) {
    const { signal } = this.#turn;
    this.#turnOf.set(prompt, signal);
    try {
      // It outlives the session.
      if (!prompt.isGuest) await this.#offerTrust(signal);
      return signal.aborted ? 'cancelled' : await this.#turns.send(prompt);
    } finally {
      await this.#client.passedOn?.();
    }
  }

  /** Ends the run and what waits for it; prompts of others that wait are answered next. */
  cancel(isOwn: (prompt: SentPrompt) => boolean = () => true): void {
    this.#turn.abort(new DOMException('Cancelled by the editor.', 'AbortError'));
    while (this.#turns.takeBack(isOwn));
    this.#turn = new AbortController();
    for (const prompt of this.#turns.waiting) this.#turnOf.set(prompt, this.#turn.signal);
    if (this.#turns.isBusy) this.#interrupt();
  }

  /** Applies what was chosen when the session was last open, except for what is chosen now. */
  async restore(now: Partial<SessionOptions>): Promise<void> {
    await this.#opened.opened.ready;
    const before = optionsOf(this.#opened.controller.session.choices ?? {});
    for (const name of Object.keys(now)) delete before[name as keyof SessionOptions];
    const { mode, effort, ...others } = before;
    if (mode !== undefined && mode !== this.mode) this.setMode(mode);
    if (effort !== undefined) this.#opened.effort.set(effort);
    if (Object.keys(others).length === 0) return;
    await this.change(others).catch((error: Error) =>
      this.#opened.controller.notice('warn', `What was chosen before cannot be used: ${error.message}`),
    );
  }

  setMode(mode: PermissionMode): void {
    this.#opened.mode.set(mode);
  }

  /** Applies before the next prompt. */
  async change(options: Partial<SessionOptions>): Promise<void> {
    const changed = { ...this.#options, ...options };
    const settings = loadSettings(changed, this.#host);
    const choice = await findModel(settings, this.#host);
    if (!choice) throw RequestError.invalidParams(undefined, `There is no model "${changed.model}".`);
    this.#choice = choice;
    this.#options = changed;
    this.#settings = settings;
    this.#changed = true;
    await this.#choices.note(this.#opened, choicesIn(options));
    if (!this.#turns.isBusy) this.#turns.wake();
  }

  async configOptions(): Promise<SessionConfigOption[]> {
    const model = this.#options.model ?? nameOf(this.#opened.choice);
    const settings = this.#settings;
    const effort = { chosen: this.#opened.effort.get(), model: this.#choice.info };
    const chosen = { mode: this.mode, model, effort, sandbox: settings.config.sandbox.level };
    return configOptions(chosen, await this.#models.get({ settings, model }));
  }

  /** Interrupts what runs, and saves. */
  async close(): Promise<void> {
    this.files.close();
    this.cancel();
    this.#leaving.abort();
    this.#turns.wake();
    await this.#running;
  }

  async #open(): Promise<Opened> {
    const choice = await findModel(this.#settings, this.#host);
    if (!choice) throw RequestError.authRequired(undefined, 'No model is set up.');
    const opened = await openAssistant(choice, {
      settings: this.#settings,
      options: this.#options,
      host: this.#host,
      approver: (request, signal) => {
        const toolCall = askedCall(request, this.#host.cwd);
        const approval = { request, toolCall, options: optionsFor(request) };
        return this.#client.approve(approval, signal);
      },
      ...(this.#client.buffers && { buffers: this.#client.buffers }),
      ask: (question, signal) => this.#client.ask(question, signal),
    });
    this.#choice = choice;
    const { mode, effort, controller } = opened;
    effort.onChange((chosen) => {
      this.#options.effort = chosen;
      void this.#choices.note(opened, { effort: chosen });
      void this.#tellOptions();
    });
    mode.onChange((currentModeId) => {
      void this.#choices.note(opened, { mode: currentModeId });
      this.#client.update({ sessionUpdate: 'current_mode_update', currentModeId });
      void this.#tellOptions();
    });
    controller.listen((event) => {
      if (event.type === 'end') this.#end = turnEndOf(event);
      this.#client.update(...this.#updates.of(event));
      if (event.type === 'message') this.#choices.messageAdded(opened);
      if (event.type === 'tool_end' && mayChangeFiles(event)) this.#client.changesChanged();
    });
    return opened;
  }

  /** Until the session is closed, through any number of models. After an error the next prompt opens it again. */
  async #run(): Promise<void> {
    let isOpen = true;
    while (!this.#leaving.signal.aborted) {
      try {
        if (!isOpen) this.#opened = await this.#reopen();
        if (!isOpen) this.#tell({ type: 'opened', opened: this.#opened });
        isOpen = true;
        await runConversation('', this.#opened, this.#stage());
      } catch (error) {
        // What failed is told; closing may fail for the same reason.
        if (isOpen) await this.#opened.close().catch(() => undefined);
        this.#settle({ error });
        this.#turns.dropWaiting();
        this.#taken = await this.#turns.next();
      }
      isOpen = false;
    }
    this.#settle('cancelled');
    this.#turns.dropWaiting();
  }

  /** The same session with other settings. */
  async #reopen(): Promise<Opened> {
    this.#changed = false;
    const { id, messages } = this.#opened.controller.session;
    const isKept = messages.length > 0 && this.#settings.config.saveHistory;
    const { sessionId: _, resume: __, ...others } = this.#options;
    this.#options = {
      ...others,
      mode: this.mode,
      ...(isKept ? { resume: id, forceDir: true } : { sessionId: id }),
    };
    this.#settings = loadSettings(this.#options, this.#host);
    return this.#open();
  }

  #stage(): Stage {
    const { root } = this.#settings;
    const { cwd } = this.#host;
    const news: string[] = [];
    const turns = this.#turns;
    return {
      talk: {
        print: (text) => {
          this.#client.update(this.#updates.said(text));
          this.#tell({ type: 'said', text });
        },
        ask: (question, signal = this.#current ?? this.#leaving.signal) =>
          this.#client.ask({ question, choices: [] }, signal),
        onInterrupt: (listener) => {
          this.#interrupt = listener;
        },
      },
      next: () => this.#next(),
      turn: () => this.#current,
      steering: () => this.#turns.forNextStep(),
      confirm: (question, signal) => this.#client.confirm(question, signal),
      get commands() {
        return commandsFor(turns.first);
      },
      prompts: new TypedPrompts({
        root,
        cwd,
        config: this.#settings.config,
        warn: (text) => news.push(text),
      }),
      root,
      host: this.#host,
      news,
      leaving: this.#leaving.signal,
      reopenWith: (folder) => void this.change({ addDir: [...this.#options.addDir, folder] }),
      onRewound: () => this.#tell({ type: 'rewound' }),
      onRunEnd: (facts, reason) => this.#tell({ type: 'run_ended', facts, reason }),
    };
  }

  async #next(): Promise<TypedPrompt | null> {
    const taken = this.#taken;
    this.#taken = null;
    if (taken) return taken;
    this.#about.tellTitle(this.#opened);
    this.#about.tellCommands(this.#opened);
    this.#settle(this.#current?.aborted ? 'cancelled' : this.#end);
    while (!this.#changed) {
      const prompt = await this.#turns.next();
      if (!prompt || !this.#current?.aborted) return prompt;
      this.#settle('cancelled');
    }
    return null;
  }

  /** Of the prompts that are being answered. */
  get #current(): AbortSignal | undefined {
    const { first } = this.#turns;
    return first && this.#turnOf.get(first);
  }

  #settle(end: TurnEnd): void {
    const wasBusy = this.#turns.isBusy;
    this.#turns.settle(end);
    this.#end = 'end_turn';
    if (!wasBusy) return;
    this.#client.changesChanged();
    this.#tell({ type: 'ended', end });
  }

  /** Before the first prompt. */
  async #offerTrust(signal: AbortSignal): Promise<void> {
    if (this.#trustAsked || this.#settings.pending === null) return;
    this.#trustAsked = true;
    const place = { settings: this.#settings, cwd: this.#host.cwd };
    if (await isTrusted(this.#client, place, signal)) await this.change({});
  }

  #tell(event: SessionEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  async #tellOptions(): Promise<void> {
    this.#client.update({
      sessionUpdate: 'config_option_update',
      configOptions: await this.configOptions(),
    });
  }
}
