import { RequestError, type SessionConfigOption } from '@agentclientprotocol/sdk';
import { runConversation, type Stage } from '../../app/conversation/conversation.ts';
import { TypedPrompts } from '../../app/conversation/prompt-history.ts';
import type { TypedPrompt } from '../../app/conversation/prompt-queue.ts';
import { topicOf } from '../../app/conversation/topic.ts';
import { offerTrust } from '../../app/conversation/trust-question.ts';
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
import { projectFiles } from '../../sandbox/files/project-files.ts';
import { FileNames } from '../shared/file-names/file-names.ts';
import type { Client } from './client.ts';
import { configOptions } from './config-options.ts';
import type { FileQuery } from './extension-methods.ts';
import { historyUpdates, type PastUpdate } from './history-updates.ts';
import { askedCall, optionsFor } from './permission-options.ts';
import { PromptTurns, type SentPrompt, type TurnEnd } from './prompt-turns.ts';
import { runError, stopReasonOf } from './run-end.ts';
import { mayChangeFiles, SessionChanges } from './session-changes.ts';
import { availableCommands, commandsFor, sessionCommands } from './session-commands.ts';
import type { SessionEvent } from './session-event.ts';
import { nestsCalls, SessionUpdates } from './session-updates.ts';
import { SharedModelList } from './shared-model-list.ts';
import { textContent } from './tool-calls.ts';

/** More than a user would scroll through. */
const MOST_FILES = 50;

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
    taken: (prompts) => this.#tell({ type: 'prompted', prompts }),
    waiting: (prompts) => this.#tell({ type: 'waiting', prompts }),
    settled: (prompt) => this.#tell({ type: 'settled', prompt }),
  });
  readonly #listeners = new Set<(event: SessionEvent) => void>();
  readonly #files: FileNames;
  readonly #models: SharedModelList;
  readonly changes: SessionChanges;
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
  #turn = new AbortController();
  /** The settings changed: the conversation is opened again before the next prompt. */
  #changed = false;
  #told = { commands: '', title: '' };
  #trustAsked = false;
  /** Why no more prompts are answered. */
  #failure: { error: unknown } | null = null;
  /** Nothing is sent before the editor knows the session. */
  #isKnown = false;

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
    this.#updates = new SessionUpdates({ cwd: host.cwd, client: client.capabilities });
    this.#leaving = following(leaving);
    this.#settings = loadSettings(options, host);
    this.#files = new FileNames({
      list: (signal) => projectFiles(host.cwd, signal),
      now: Date.now,
      onChange: () => undefined,
    });
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

  /** Removes the newest of those that fit. */
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
    this.#isKnown = true;
    const { notices, extensions, opened } = this.#opened;
    for (const text of notices) this.#client.update(...this.#updates.notice('warning', visible(text)));
    this.#tellCommands();
    void extensions.plugins().then(() => this.#tellCommands());
    void opened.ready.then(() => this.#tellTitle());
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
    if (this.#failure) throw this.#failure.error;
    if (!this.#turns.isBusy) this.#turn = new AbortController();
    // It outlives the session.
    if (!prompt.isGuest) await this.#offerTrust();
    if (this.#turn.signal.aborted) return 'cancelled';
    try {
      return await this.#turns.send(prompt);
    } finally {
      await this.#client.passedOn?.();
    }
  }

  /** Ends the run and what waits for it. Does nothing if there is none. */
  cancel(): void {
    this.#turn.abort(new DOMException('Cancelled by the editor.', 'AbortError'));
    this.#turns.dropWaiting();
    if (this.#turns.isBusy) this.#interrupt();
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
    if (!this.#turns.isBusy) this.#turns.wake();
  }

  async configOptions(): Promise<SessionConfigOption[]> {
    const model = this.#options.model ?? nameOf(this.#opened.choice);
    const settings = this.#settings;
    const effort = { chosen: this.#opened.effort.get(), model: this.#choice.info };
    const chosen = { mode: this.mode, model, effort, sandbox: settings.config.sandbox.level };
    return configOptions(chosen, await this.#models.get({ settings, model }));
  }

  /** Files and folders whose names fit, the best first. */
  async completeFile({ query, limit = MOST_FILES }: FileQuery): Promise<string[]> {
    const known = this.#files.search(query, limit);
    if (known === null) await this.#files.refresh();
    return (known ?? this.#files.search(query, limit) ?? []).map(({ name }) => name);
  }

  /** Interrupts what runs, and saves. */
  async close(): Promise<void> {
    this.#files.close();
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
        const { cwd } = this.#host;
        const approval = { request, toolCall: askedCall(request, cwd), options: optionsFor(request) };
        return this.#client.approve(approval, signal);
      },
      ...(this.#client.buffers && { buffers: this.#client.buffers }),
      ask: (question, signal) => this.#client.ask(question, signal),
    });
    this.#choice = choice;
    const { mode, effort, controller } = opened;
    effort.onChange((chosen) => {
      this.#options.effort = chosen;
      void this.#tellOptions();
    });
    mode.onChange((currentModeId) => {
      this.#client.update({ sessionUpdate: 'current_mode_update', currentModeId });
      void this.#tellOptions();
    });
    controller.listen((event) => {
      if (event.type === 'end')
        this.#end = event.error ? { error: runError(event) } : stopReasonOf(event.reason);
      this.#client.update(...this.#updates.of(event));
      if (event.type === 'tool_end' && mayChangeFiles(event)) this.#client.changesChanged();
    });
    return opened;
  }

  /** Until the session is closed, through any number of models. An error ends it. */
  async #run(): Promise<void> {
    try {
      while (!this.#leaving.signal.aborted) {
        await runConversation('', this.#opened, this.#stage());
        if (this.#leaving.signal.aborted) break;
        this.#opened = await this.#reopen();
        this.#tell({ type: 'opened', opened: this.#opened });
      }
    } catch (error) {
      this.#failure = { error };
    }
    this.#turns.settle(this.#failure ?? 'cancelled');
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
        ask: (question, signal = this.#turn.signal) => this.#client.ask({ question, choices: [] }, signal),
        onInterrupt: (listener) => {
          this.#interrupt = listener;
        },
      },
      next: () => this.#next(),
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
    this.#tellTitle();
    this.#tellCommands();
    const end = this.#turn.signal.aborted ? 'cancelled' : this.#end;
    const wasBusy = this.#turns.isBusy;
    this.#turns.settle(end);
    this.#end = 'end_turn';
    if (wasBusy) {
      this.#client.changesChanged();
      this.#tell({ type: 'ended', end });
    }
    return this.#changed ? null : this.#turns.next();
  }

  /** Before the first prompt: whether the folder's own settings apply. */
  async #offerTrust(): Promise<void> {
    if (this.#trustAsked || this.#settings.pending === null) return;
    this.#trustAsked = true;
    const { root } = this.#settings;
    const { cwd } = this.#host;
    let shown = '';
    const talk = {
      print: (text: string) => {
        shown += `${text}\n`;
      },
      ask: async () => {
        const about = { details: [textContent(shown)], ownerOnly: true as const };
        return (await this.#client.confirm('Trust this folder?', this.#turn.signal, about)) ? 'y' : 'n';
      },
    };
    if (await offerTrust(this.#settings, talk, { root, cwd })) await this.change({});
  }

  #tell(event: SessionEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  #tellCommands(): void {
    if (!this.#isKnown) return;
    const { extensions, mcp } = this.#opened;
    const all = [...sessionCommands, ...extensions.commands(), ...(mcp?.commands() ?? [])];
    const commands = availableCommands(all);
    const text = JSON.stringify(commands);
    if (text === this.#told.commands) return;
    this.#told.commands = text;
    this.#client.update({ sessionUpdate: 'available_commands_update', availableCommands: commands });
  }

  #tellTitle(): void {
    if (!this.#isKnown) return;
    const title = topicOf(this.#opened.controller.session);
    if (title === this.#told.title) return;
    this.#told.title = title;
    this.#client.update({ sessionUpdate: 'session_info_update', title, updatedAt: new Date().toISOString() });
  }

  async #tellOptions(): Promise<void> {
    this.#client.update({
      sessionUpdate: 'config_option_update',
      configOptions: await this.configOptions(),
    });
  }
}
