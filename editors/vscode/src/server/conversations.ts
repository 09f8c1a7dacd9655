import * as vscode from 'vscode';
import { trustOnly } from '../../../../src/frontends/server/pinned-certificate.ts';
import { localAccess, type ServerAccess } from '../../../../src/frontends/server/server-socket.ts';
import type { ChatHost, Conversation } from '../chat/chat.ts';
import { ChatUnavailable } from '../chat/problem.ts';
import { AttachedChat } from './attached-chat.ts';

const ATTACHED = 'attachedTo';

/** `url` is null for the server of this machine, which may be another one after each start. */
type Attached = { url: string | null; session: string };

/** What is known of a server on another machine. */
type Kept = { secret: string | undefined; certificate: string | undefined };

type Deps = Pick<ChatHost, 'place' | 'documents' | 'onEvent' | 'onProblem'> & {
  local: Conversation;
  context: Pick<vscode.ExtensionContext, 'secrets' | 'workspaceState'>;
  /** Another conversation is shown from now on. */
  onChanged(): void;
};

/** The conversation that the window shows: with an agent of its own, or one that goes on in a server. */
export class Conversations {
  readonly #deps: Deps;
  #current: Conversation;
  #restoring: Promise<void> | null = null;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#current = deps.local;
  }

  get current(): Conversation {
    return this.#current;
  }

  get isAttached(): boolean {
    return this.#current !== this.#deps.local;
  }

  /** Shows what the window showed when it was closed. */
  restore(): Promise<void> {
    this.#restoring ??= this.#restore().finally(() => {
      this.#restoring = null;
    });
    return this.#restoring;
  }

  /** A chat on a server, without a session. What is `entered` is kept for later. */
  async connect(url: string | null, entered: Partial<Kept> = {}): Promise<AttachedChat> {
    if (!vscode.workspace.isTrusted) throw new ChatUnavailable({ type: 'untrusted' });
    const { context, ...host } = this.#deps;
    const { secret, certificate } = entered;
    if (url !== null && secret !== undefined) {
      await context.secrets.store(url, secret);
      await context.secrets.store(`${url} certificate`, certificate ?? '');
    }
    const kept = {
      secret: url === null ? undefined : await context.secrets.get(url),
      certificate: url === null ? undefined : await context.secrets.get(`${url} certificate`),
    };
    const chat: AttachedChat = new AttachedChat({
      place: host.place,
      documents: host.documents,
      access: () => accessTo(url, kept),
      // A chat that is only used to choose a session shows nothing.
      onEvent: (event) => this.#current === chat && host.onEvent(event),
      onProblem: (problem) => this.#current === chat && host.onProblem(problem),
      onSession: (session) => {
        if (this.#current === chat) void context.workspaceState.update(ATTACHED, { url, session });
      },
    });
    return chat;
  }

  /** Shows a session of a server from now on; without one, a new session in this folder. */
  async attach(chat: AttachedChat, session: string | null): Promise<void> {
    await this.#current.stop();
    this.#current = chat;
    this.#deps.onProblem(null);
    this.#deps.onChanged();
    await (session === null ? chat.newSession() : chat.openSession(session));
  }

  /** Back to an agent of this window. The session goes on. */
  async detach(): Promise<void> {
    const { local, context, onProblem, onChanged } = this.#deps;
    await this.#current.stop();
    this.#current = local;
    await context.workspaceState.update(ATTACHED, undefined);
    onProblem(null);
    onChanged();
    await local.restart();
  }

  async #restore(): Promise<void> {
    const saved = this.#deps.context.workspaceState.get<Attached>(ATTACHED);
    if (saved && !this.isAttached && vscode.workspace.isTrusted)
      await this.attach(await this.connect(saved.url), saved.session);
  }
}

function accessTo(url: string | null, { secret = '', certificate = '' }: Partial<Kept>): ServerAccess {
  if (url !== null) return { url, secret, ...(certificate !== '' && { tls: trustOnly(certificate) }) };
  const local = localAccess(process.env);
  if (!local) throw new Error('No server is running on this machine. Start one with `aca serve`.');
  return local;
}
