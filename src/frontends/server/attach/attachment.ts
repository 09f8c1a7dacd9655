import { TypedPrompts } from '../../../app/conversation/prompt-history.ts';
import { footerParts } from '../../../app/run-facts/footer.ts';
import { visible } from '../../../lib/text/printable.ts';
import type { SentPrompt } from '../../acp/prompt-turns.ts';
import type { SessionEvent } from '../../acp/updates/session-event.ts';
import type { RemoteActions } from '../../shared/terminal.ts';
import { AttachedScreen } from '../../terminal/attached-screen.ts';
import { type Identity, includesRole } from '../identity.ts';
import type { OpenTerminalParams } from '../server-methods.ts';
import { refusedToGuests } from '../sessions/guest-commands.ts';
import type { HostedSession } from '../sessions/hosted-session.ts';
import type { HostedSessions } from '../sessions/hosted-sessions.ts';
import type { Answers, YesOrNo } from '../sessions/room.ts';
import { ownContext } from './own-context.ts';
import { RemoteTerminal, type Size } from './remote-terminal.ts';
import { TERMINAL_VARIABLES } from './terminal-variables.ts';

type AttachmentDeps = {
  id: string;
  who: Identity;
  hosted: HostedSession;
  all: HostedSessions;
  params: OpenTerminalParams;
  env: NodeJS.ProcessEnv;
  send(data: string): Promise<void>;
  /** What only the client can do with its terminal. */
  actions: RemoteActions;
  /** Whether this person has access still. */
  isAllowed(): Promise<boolean>;
  audit(event: 'prompted' | 'refused' | 'mode', detail: string): void;
  /** The user left, or continues in another session. */
  onClosed(message: string, next: string | null): void;
};

/** One attached terminal: the screen is painted here, and only bytes travel. */
export class Attachment {
  readonly #deps: AttachmentDeps;
  readonly #remote: RemoteTerminal;
  readonly #leaving: (() => void)[] = [];
  readonly #taken = new WeakSet<SentPrompt>();
  #next: string | null = null;
  #end = 'Detached. The session goes on.';
  #closed = false;

  constructor(deps: AttachmentDeps) {
    const { hosted, params, env, send, actions } = deps;
    const { columns, rows } = params;
    this.#deps = deps;
    const own = Object.fromEntries(TERMINAL_VARIABLES.map((name) => [name, params.env[name]]));
    this.#remote = new RemoteTerminal({
      columns,
      rows,
      cwd: hosted.cwd,
      env: { ...env, ...own },
      send,
      actions,
    });
  }

  /** Resolves when the screen was left. */
  async run(): Promise<void> {
    const { hosted, id, who } = this.#deps;
    const { session } = hosted;
    const attached = await this.#open();
    const { screen } = attached;
    this.#leaving.push(
      session.listen((event) => this.#show(event, attached)),
      hosted.room.join({
        info: { id, name: who.name, role: who.role },
        answers: includesRole(who.role, 'editor')
          ? answersOn(attached, () => this.#closed || screen.isQuitting)
          : null,
        onAnswered: (text) => screen.print(visible(text)),
        onClosed: () => {
          this.#end = 'The session was closed.';
          screen.quit();
        },
      }),
    );
    this.#showWaiting(session.waiting, attached);
    if (this.#closed) screen.quit();
    await attached.run();
    this.#leave();
    await attached.close();
    await this.#remote.flushed();
    this.#deps.onClosed(this.#end, this.#next);
  }

  type(data: string): void {
    this.#remote.type(data);
  }

  resize(size: Size): void {
    this.#remote.resize(size);
  }

  /** The client is gone. The session goes on. */
  close(): void {
    this.#closed = true;
    this.#remote.end();
  }

  async #open(): Promise<AttachedScreen> {
    const { hosted, all, id, who } = this.#deps;
    const { session, cwd } = hosted;
    const { terminal } = this.#remote;
    const { root, config } = session.settings;
    const isOwner = includesRole(who.role, 'owner');
    // What the owner typed in other sessions is not for guests, nor theirs for the owner.
    const kept = { ...config, saveHistory: config.saveHistory && isOwner };
    const prompts = new TypedPrompts({ root, config: kept, cwd, warn: () => undefined });
    const attached: AttachedScreen = await AttachedScreen.open(
      {
        role: who.role,
        opened: () => session.opened,
        settings: () => session.settings,
        turnEvents: () => hosted.turnEvents,
        send: (prompt, commands) => void this.#send({ ...prompt, commands }, attached),
        waiting: () => session.waiting.filter((prompt) => prompt.from?.id === id).length,
        othersWait: () => session.waiting.some((prompt) => prompt.from?.id !== id),
        takeBack: () => session.takeBack(({ from }) => from?.id === id),
        interrupt: () => {
          const isBusy = session.isBusy && includesRole(who.role, 'editor');
          if (!isBusy) return false;
          session.cancel(({ from }) => from?.id === id);
          return true;
        },
        onMode: (mode) => this.#deps.audit('mode', mode),
        change: (options) => session.change(options),
        ownContext: (talk) =>
          ownContext(
            {
              hosted,
              all,
              host: terminal,
              prompts: () => prompts.list(),
              moveTo: (next) => {
                this.#next = next;
                attached.screen.quit();
              },
            },
            talk,
          ),
      },
      { terminal, prompts },
    );
    return attached;
  }

  async #send(prompt: SentPrompt, { screen }: AttachedScreen): Promise<void> {
    const { hosted, id, who, isAllowed, audit } = this.#deps;
    const { session } = hosted;
    const { text, images } = prompt;
    const isGuest = !includesRole(who.role, 'owner');
    const refused = isGuest ? await refusedToGuests(text, session.opened) : null;
    if (refused !== null) {
      audit('refused', `${refused} ${text}`);
      screen.print(refused);
      return;
    }
    const isEmpty = text.trim() === '' && images.length === 0;
    if (isEmpty && session.isBusy) return;
    audit('prompted', text);
    const sent: SentPrompt = {
      ...prompt,
      from: { id, name: who.name },
      // Enter after a failure: the same again.
      ...(isEmpty && { resumes: true }),
      ...(isGuest && { isGuest: true, isAllowed }),
    };
    await hosted.prompt(sent).catch((error: Error) => {
      // A run that fails is shown like every other.
      if (!this.#taken.has(sent)) screen.print(error.message);
    });
  }

  #leave(): void {
    this.#closed = true;
    for (const leave of this.#leaving.splice(0)) leave();
  }

  #show(event: SessionEvent, attached: AttachedScreen): void {
    const { store } = attached.screen;
    switch (event.type) {
      case 'opened':
        attached.reopened();
        return;
      case 'said':
        attached.screen.print(event.text);
        return;
      case 'prompted':
        for (const prompt of event.prompts) {
          this.#taken.add(prompt);
          if (prompt.text !== '') store.dispatch({ type: 'prompted', text: this.#signed(prompt) });
        }
        return;
      case 'waiting':
        this.#showWaiting(event.prompts, attached);
        return;
      case 'run_ended':
        store.dispatch({ type: 'footer', parts: footerParts(event.facts, event.reason) });
        return;
      case 'rewound':
      case 'settled':
      case 'ended':
        return;
      default:
        event satisfies never;
    }
  }

  #showWaiting(prompts: readonly SentPrompt[], attached: AttachedScreen): void {
    const shown = prompts.map((prompt) => ({
      ...prompt,
      text: this.#signed(prompt),
      isOthers: prompt.from?.id !== this.#deps.id,
    }));
    attached.screen.store.dispatch({ type: 'queue', prompts: shown });
    attached.giveWay();
  }

  /** With the name of its sender, unless that is who reads it. */
  #signed({ text, from }: SentPrompt): string {
    return from && from.id !== this.#deps.id ? `${visible(from.name)}: ${text}` : text;
  }
}

/** Whoever leaves has not answered. */
function answersOn({ screen }: AttachedScreen, isGone: () => boolean): Answers {
  const unlessGone = <Value>(answer: Value, signal: AbortSignal) =>
    isGone() || signal.aborted ? undefined : answer;
  return {
    approve: async ({ request }, _about, signal) =>
      unlessGone(await screen.approver(request, signal), signal),
    ask: async (question, _about, signal) => unlessGone(await screen.answer(question, signal), signal),
    confirm: async ({ question, details }, _about, signal) =>
      unlessGone(await screen.confirm(question, signal, textIn(details)), signal),
  };
}

function textIn(details: YesOrNo['details']): string {
  return details
    .flatMap((part) => (part.type === 'content' && part.content.type === 'text' ? [part.content.text] : []))
    .join('\n');
}
