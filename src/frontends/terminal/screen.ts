import { PromptQueue, type TypedPrompt, type WaitingPrompts } from '../../app/conversation/prompt-queue.ts';
import type { AgentEvent } from '../../contract/event.ts';
import type { Approver } from '../../contract/permission.ts';
import type { UserQuestion } from '../../contract/tool.ts';
import { askDialog } from './components/ask-dialog.ts';
import { confirmDialog, wordsOf } from './components/confirm-dialog.ts';
import { helpKeysDialog } from './components/help-keys.ts';
import { permissionDialog } from './components/permission-dialog.ts';
import { questionDialog } from './components/question-dialog.ts';
import { textDialog } from './components/text-dialog.ts';
import { DialogDesk } from './dialog-queue.ts';
import { textWidth } from './editor/prompt-lines.ts';
import { PromptModel } from './editor/prompt-model.ts';
import { createKeymap } from './keyboard/keymap.ts';
import { loadHighlighter, noHighlighter } from './markdown/highlight.ts';
import { LateMarkdown } from './markdown/late.ts';
import { notificationText } from './notify/notification.ts';
import { PagerScreen } from './pager/pager-screen.ts';
import { HeldTerminal } from './painter/held-terminal.ts';
import { Renderer } from './renderer.ts';
import type { ScreenOptions } from './screen-options.ts';
import { Surroundings } from './surroundings.ts';
import { knowsHyperlinks } from './theme/color.ts';
import { ScreenTheme } from './theme/screen-theme.ts';
import { withoutQuestion } from './view/describe-end.ts';
import { Feed } from './view/feed.ts';
import type { Key, ScreenAction, Status } from './view/types.ts';
import { ViewStore } from './view/view-store.ts';
import type { VoicePrompt } from './voice/voice-prompt.ts';

/** Ctrl-C pressed twice within this time quits. */
const TWICE_MS = 2_000;

/** A conversation on the screen: its output, input and dialogs. */
export class Screen {
  readonly store: ViewStore;
  readonly dialogs = new DialogDesk();
  readonly markdown: LateMarkdown;
  readonly surroundings: Surroundings;
  readonly terminal: HeldTerminal;
  readonly prompt: PromptModel;
  readonly pager: PagerScreen;
  readonly #options: ScreenOptions;
  readonly #queue: PromptQueue;
  readonly #feed: Feed;
  readonly #renderer: Renderer;
  readonly #theme: ScreenTheme;
  #voice: Promise<VoicePrompt> | undefined;
  #voiceNow: VoicePrompt | null = null;
  #interrupted: () => boolean = () => false;
  #closed = false;
  #cancelledAt = Number.NEGATIVE_INFINITY;

  constructor(options: ScreenOptions) {
    const { stdin, stdout, remote, env, title, takeOver, settings, status, shownPath } = options;
    this.#options = options;
    const onKey = (key: Key) => this.#press(key);
    const held = { stdin, stdout, remote, env, title, onKey };
    this.terminal = new HeldTerminal(takeOver ? { ...held, takeOver } : held);
    this.store = new ViewStore(status, options.start);
    this.#queue = new PromptQueue({
      queue: settings.queue,
      onChange: (prompts) => this.store.dispatch({ type: 'queue', prompts }),
      onClaimed: (prompts) => {
        for (const { text } of prompts) this.store.dispatch({ type: 'prompted', text });
      },
    });
    const { theme: setting, color } = settings;
    this.#theme = new ScreenTheme({ setting, color, env, ground: options.ground ?? null });
    const { columns, rows } = this.terminal;
    const theme = this.#theme.now;
    this.surroundings = new Surroundings({ columns, rows, theme, highlighter: noHighlighter, shownPath });
    this.markdown = new LateMarkdown(this.surroundings, { links: knowsHyperlinks(env) });
    this.#feed = new Feed({
      stream: settings.stream,
      openMarkdown: () => this.markdown.open(),
      tell: (event) => this.store.dispatch(event),
    });
    const { keymap, problems } = createKeymap(settings.keys);
    const { edit: _, dictate: __, ...place } = options.prompt;
    this.prompt = new PromptModel({
      ...place,
      keymap,
      mode: settings.editorMode,
      queued: () => (options.shared ?? this.#queue).length,
      recall: () => (options.shared ?? this.#queue).takeBack(),
      editExternally: this.edit,
      submit: (prompt) => this.submit(prompt),
      retry: () => this.store.takeRetry() && this.submit({ text: '', images: [] }),
      act: (action) => this.act(action),
      hint: (text) => this.store.dispatch({ type: 'hint', text }),
      now: () => performance.now(),
    });
    const { store, dialogs, surroundings, prompt } = this;
    const look = { surroundings, painter: this.terminal.painter, statusBar: settings.statusBar };
    this.#renderer = new Renderer({ store, dialogs, prompt, ...look });
    this.pager = new PagerScreen({
      terminal: this.terminal,
      surroundings,
      markdown: this.markdown,
      overlay: (overlay) => this.#renderer.overlay(overlay),
      isAsked: () => dialogs.current !== null,
    });
    for (const text of problems) this.store.dispatch({ type: 'notice', level: 'warn', text });
  }

  /** Takes over the terminal and starts drawing. */
  open(): void {
    const { stdin, stdout } = this.#options;
    const pressed = this.terminal.hold();
    stdout.on('resize', this.#resized);
    for (const gone of ['end', 'close', 'error']) stdin.on(gone, this.#gone);
    stdout.on('error', this.#gone);
    if (!this.#options.remote) process.on('SIGCONT', this.#takeBack);
    // Whatever opens next, these keys were meant for the prompt: nothing else was visible.
    this.prompt.resize(textWidth(this.terminal.columns));
    this.terminal.deliver(pressed);
    this.#renderer.start();
    void this.#queryBackground();
    void loadHighlighter().then((highlighter) => this.surroundings.change({ highlighter }));
  }

  /** Keeps the output and restores the terminal. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.quit();
    // Pending updates are drawn first.
    await new Promise((told) => setImmediate(told));
    this.#renderer.draw();
    if (!this.isGone) await this.terminal.settle();
    if (this.#closed) return;
    this.#closed = true;
    this.#renderer.stop();
    const { stdin, stdout } = this.#options;
    stdout.off('resize', this.#resized);
    for (const gone of ['end', 'close']) stdin.off(gone, this.#gone);
    process.off('SIGCONT', this.#takeBack);
    this.prompt.close();
    this.terminal.release();
  }

  /** Ends the input. */
  quit(): void {
    this.isQuitting = true;
    this.#voiceNow?.cancel();
    this.pager.close();
    this.dialogs.closeAll();
    this.#interrupted();
    this.#queue.end();
  }

  isQuitting = false;
  /** The terminal was closed while we owned it. */
  isGone = false;

  push(event: AgentEvent): void {
    if (event.type === 'end') this.notifyIfAway('Finished', { isEnd: true });
    this.pager.watch(event);
    this.#feed.push(this.isQuitting ? withoutQuestion(event) : event);
  }

  print(text: string): void {
    this.store.dispatch({ type: 'printed', text });
  }

  setStatus(status: Partial<Status>): void {
    this.store.dispatch({ type: 'status', status });
  }

  /** The next prompt: a queued one, or the next that is typed. Null at the end of input. */
  async next(): Promise<TypedPrompt | null> {
    const prompt = await this.#queue.next();
    if (prompt?.text) this.store.dispatch({ type: 'prompted', text: prompt.text });
    return prompt;
  }

  /** The prompts for the next step of the current run. */
  steering(): WaitingPrompts | null {
    return this.#queue.forNextStep();
  }

  submit(prompt: TypedPrompt): void {
    // They do not wait for the run.
    const line = prompt.text.trim();
    if (line === '/background') this.#options.onAction('background');
    else if (line === '/voice') void this.#dictate({ byKey: false });
    else (this.#options.shared ?? this.#queue).add(prompt);
  }

  onInterrupt(listener: () => boolean): void {
    this.#interrupted = listener;
  }

  async ask(question: string, signal?: AbortSignal): Promise<string | null> {
    if (this.isQuitting) return null;
    return this.dialogs.ask(questionDialog(question), signal);
  }

  /** Only an explicit yes counts. `about` is shown with the question. */
  async confirm(question: string, signal?: AbortSignal, about = ''): Promise<boolean> {
    if (this.isQuitting) return false;
    const dialog = confirmDialog({ question, body: wordsOf(about) });
    return (await this.dialogs.ask(dialog, signal)) ?? false;
  }

  async askHidden(question: string): Promise<string | null> {
    if (this.isQuitting) return null;
    return this.dialogs.show(textDialog({ question, hidden: true }));
  }

  readonly approver: Approver = async (request, signal) => {
    if (this.isQuitting) return { choice: 'no' };
    this.notifyIfAway('Waiting for your approval');
    const { role = 'owner', onAction } = this.#options;
    const answering = { isGuest: role !== 'owner', acceptEdits: () => onAction('accept-edits') };
    const outcome = await this.dialogs.ask(permissionDialog(request, answering), signal);
    if (outcome?.type === 'answer') return outcome.answer;
    if (outcome) this.#interrupted();
    return { choice: 'no' };
  };

  /** The model's own questions. */
  readonly answer = async (question: UserQuestion, signal: AbortSignal): Promise<string | null> => {
    if (this.isQuitting) return null;
    this.notifyIfAway('Has a question for you');
    const outcome = await this.dialogs.ask(askDialog(question), signal);
    if (outcome?.type === 'answer') return outcome.text;
    if (outcome) this.#interrupted();
    return null;
  };

  act(action: ScreenAction): void {
    switch (action) {
      case 'interrupt':
        if (!this.#renderer.openQuestion()) this.#interrupted();
        return;
      case 'cancel':
        this.#cancel();
        return;
      case 'quit':
        this.quit();
        return;
      case 'suspend':
        void this.#suspend();
        return;
      case 'transcript':
        void import('./flows/transcripts.ts').then(({ openTranscript }) => openTranscript(this));
        return;
      case 'redraw':
        this.#resized();
        return;
      case 'recall-queued':
        return;
      case 'help-keys':
        void this.dialogs.show(helpKeysDialog(this.prompt.keymap));
        return;
      case 'voice':
        void this.#dictate({ byKey: true });
        return;
      case 'cycle-mode':
      case 'rewind':
        this.#options.onAction(action);
        return;
      default:
        action satisfies never;
    }
  }

  /** Lends the terminal to another program, such as an editor. */
  async lend<Result>(borrow: () => Promise<Result>): Promise<Result> {
    await this.terminal.settle();
    this.terminal.release();
    try {
      return await borrow();
    } finally {
      this.#takeBack();
    }
  }

  /** Opens the user's editor. Null when nothing was changed. */
  readonly edit = (text: string) => this.lend(() => this.#options.prompt.edit(text));

  /** Applies another theme. The scrollback is unchanged. */
  setTheme(setting: string): void {
    this.#theme.choose(setting);
    this.surroundings.change({ theme: this.#theme.now });
  }

  async #queryBackground(): Promise<void> {
    const differs = await this.#theme.askTerminal(this.terminal);
    if (differs && !this.#closed) this.surroundings.change({ theme: this.#theme.now });
  }

  /** Ctrl-C in a dialog belongs to the dialog; but a second one soon after always quits. */
  #press(key: Key): void {
    if (this.store.view.hint !== null && key.type !== 'release')
      this.store.dispatch({ type: 'hint', text: null });
    if (this.#renderer.showsDialog && key.type === 'key' && key.ctrl && key.name === 'c') {
      const again = performance.now() - this.#cancelledAt < TWICE_MS;
      this.#cancelledAt = performance.now();
      if (again) {
        this.quit();
        return;
      }
    }
    if (!this.#renderer.showsDialog && this.#voiceNow?.press(key)) return;
    if (key.type !== 'release') this.#renderer.press(key);
  }

  /** Loaded when it is first used. */
  async #dictate(how: { byKey: boolean }): Promise<void> {
    this.#voice ??= import('./voice/voice-prompt.ts').then(({ voiceOn }) =>
      voiceOn(this, this.#options.prompt.dictate),
    );
    this.#voiceNow = await this.#voice;
    if (!this.isQuitting) this.#voiceNow.start(how);
  }

  #cancel(): void {
    const now = performance.now();
    if (now - this.#cancelledAt < TWICE_MS) {
      this.quit();
      return;
    }
    this.#cancelledAt = now;
    const stopped = this.#interrupted();
    const text = `${stopped ? 'Stopped. ' : ''}Press Ctrl+C again to quit.`;
    this.store.dispatch({ type: 'hint', text });
  }

  async #suspend(): Promise<void> {
    const { remote } = this.#options;
    if (remote) return this.lend(() => remote.suspend());
    // Windows has no job control.
    if (process.platform === 'win32') return;
    await this.terminal.settle();
    if (this.#closed) return;
    this.terminal.sleep();
  }

  /** The terminal was closed. */
  readonly #gone = (): void => {
    this.isGone = true;
    this.quit();
  };

  readonly #takeBack = (): void => {
    if (this.#closed) return;
    this.pager.close();
    this.terminal.resume();
    this.#refit();
  };

  readonly #resized = (): void => {
    this.terminal.painter.resized();
    this.#refit();
  };

  #refit(): void {
    const { columns, rows } = this.terminal;
    this.#feed.resize(columns);
    this.prompt.resize(textWidth(columns));
    this.surroundings.change({ columns, rows });
  }

  /** For a user who is elsewhere. `isEnd`: of a run; a short one is not worth a notification. */
  notifyIfAway(message: string, { isEnd = false }: { isEnd?: boolean } = {}): void {
    const { settings, title, env, onNotify } = this.#options;
    const { when, afterSeconds } = settings.notifications;
    const { run } = this.store.view;
    const afterMs = afterSeconds * 1000;
    if (isEnd && run && Date.now() - run.startedAt < afterMs) return;
    if (when === 'never' || (when === 'away' && !this.terminal.isAway(afterMs))) return;
    const note = { title, message };
    this.terminal.write(notificationText(note, settings.notifications, env));
    onNotify(note);
  }
}
