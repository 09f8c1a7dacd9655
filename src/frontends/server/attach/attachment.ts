import { TypedPrompts } from '../../../app/conversation/prompt-history.ts';
import { visible } from '../../../lib/text/printable.ts';
import type { SessionEvent } from '../../acp/session.ts';
import { sessionCommands } from '../../acp/session-commands.ts';
import { AttachedScreen } from '../../terminal/attached-screen.ts';
import type { Identity } from '../identity.ts';
import type { OpenTerminalParams } from '../server-methods.ts';
import type { HostedSession } from '../sessions/hosted-session.ts';
import type { Answers } from '../sessions/room.ts';
import { RemoteTerminal, type Size } from './remote-terminal.ts';
import { TERMINAL_VARIABLES } from './terminal-variables.ts';

type AttachmentDeps = {
  id: string;
  who: Identity;
  hosted: HostedSession;
  params: OpenTerminalParams;
  env: NodeJS.ProcessEnv;
  send(data: string): Promise<void>;
  /** The user left, or the session was closed. */
  onClosed(message: string): void;
};

/** One attached terminal: the screen is painted here, and only bytes travel. */
export class Attachment {
  readonly #deps: AttachmentDeps;
  readonly #remote: RemoteTerminal;
  readonly #leaving: (() => void)[] = [];
  #closed = false;

  constructor(deps: AttachmentDeps) {
    const { hosted, params, env, send } = deps;
    const { columns, rows } = params;
    this.#deps = deps;
    const own = Object.fromEntries(TERMINAL_VARIABLES.map((name) => [name, params.env[name]]));
    this.#remote = new RemoteTerminal({ columns, rows, cwd: hosted.cwd, env: { ...env, ...own }, send });
  }

  /** Resolves when the screen was left. */
  async run(): Promise<void> {
    const { hosted, id, who } = this.#deps;
    const { session } = hosted;
    const { terminal } = this.#remote;
    const from = { id, name: who.name };
    const { root, config } = session.settings;
    const prompts = new TypedPrompts({ root, config, cwd: hosted.cwd, warn: () => undefined });
    const attached = await AttachedScreen.open(
      {
        opened: () => session.opened,
        settings: () => session.settings,
        turnEvents: () => hosted.turnEvents,
        send: (prompt, commands) => {
          // A run that fails is shown like every other.
          session.prompt({ ...prompt, from, commands }).catch(() => undefined);
        },
        interrupt: () => {
          const { isBusy } = session;
          session.cancel();
          return isBusy;
        },
        change: (options) => session.change(options),
        commands: sessionCommands,
      },
      { terminal, prompts },
    );
    const { screen } = attached;
    this.#leaving.push(
      session.listen((event) => this.#show(event, attached)),
      hosted.room.join({
        info: { id, name: who.name, role: who.role },
        answers: answersOn(attached, () => this.#closed || screen.isQuitting),
      }),
    );
    if (this.#closed) screen.quit();
    await attached.run();
    this.#leave();
    await attached.close();
    await this.#remote.flushed();
    this.#deps.onClosed('Detached. The session goes on.');
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

  #leave(): void {
    this.#closed = true;
    for (const leave of this.#leaving.splice(0)) leave();
  }

  #show(event: SessionEvent, attached: AttachedScreen): void {
    const { screen } = attached;
    if (event.type === 'opened') attached.reopened();
    if (event.type === 'said') screen.print(event.text);
    if (event.type !== 'prompted') return;
    for (const { text, from } of event.prompts)
      if (from?.id !== this.#deps.id && text !== '')
        screen.store.dispatch({ type: 'prompted', text: from ? `${visible(from.name)}: ${text}` : text });
  }
}

/** Whoever leaves has not answered. */
function answersOn({ screen }: AttachedScreen, isGone: () => boolean): Answers {
  const unlessGone = <Value>(answer: Value, signal: AbortSignal) =>
    isGone() || signal.aborted ? undefined : answer;
  return {
    approve: async ({ request }, _about, signal) =>
      unlessGone(await screen.approver(request, signal), signal),
    ask: async (question, signal) => unlessGone(await screen.answer(question, signal), signal),
    confirm: async (question, signal) => unlessGone(await screen.confirm(question, signal), signal),
  };
}
