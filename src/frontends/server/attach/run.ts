import { constants } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { UserError } from '../../../contract/errors.ts';
import { dataRoot } from '../../../lib/files/data-root.ts';
import { editInProgram, editorOf } from '../../../sandbox/shell/external-editor.ts';
import type { Terminal } from '../../shared/terminal.ts';
import { takeKeyboard } from '../../shared/typed-ahead.ts';
import { type Accepting, acceptedServer } from '../known-servers.ts';
import { type ServerAddress, serverAddress } from '../server-address.ts';
import { AccessRefused, connectToServer } from '../server-client.ts';
import {
  ACCESS_ENDED,
  type EditedText,
  type OpenTerminalParams,
  type OpenTerminalResult,
  type SessionOverview,
  serverMethods,
  serverNotifications,
  type TerminalClosed,
  type TerminalData,
  type TerminalText,
  terminalActions,
} from '../server-methods.ts';
import { localAccess, type ServerAccess } from '../server-socket.ts';
import { LocalMicrophone } from './local-microphone.ts';
import { TERMINAL_VARIABLES } from './terminal-variables.ts';

/** How long a lost server is looked for: it may be restarted. */
const RECONNECT_MS = 10 * 60_000;
const LOOK_MS = 200;

const outputParams: z.ZodType<TerminalData> = z.object({ terminalId: z.string(), data: z.string() });
const closedParams: z.ZodType<TerminalClosed> = z.object({
  terminalId: z.string(),
  message: z.string(),
  next: z.string().nullable(),
});
const recordParams = z.object({ terminalId: z.string() });
const editParams: z.ZodType<TerminalText> = z.object({ terminalId: z.string(), text: z.string() });

/** How an attachment ended: by the user, for another session, because the server is gone, or because we may not stay. */
type End =
  | { type: 'closed'; message: string }
  | { type: 'moved'; to: string }
  | { type: 'lost' }
  | { type: 'refused' };

/** A server, as it can be reached at the moment; null if it does not run. `again` is the command that returns here. */
type Place = { access(): ServerAccess | null; again(session: string): string; isGuest: boolean };

export type LinkOptions = Pick<Accepting, 'ask' | 'fingerprint'> & {
  link: string;
  /** One of its sessions; the one that most needs attention if absent. */
  session?: string | undefined;
};

/** `aca attach`: shows a session of the server in this terminal, until the user leaves. */
export async function runAttach(wanted: string | undefined, terminal: Terminal): Promise<void> {
  needTerminal(terminal);
  const access = () => localAccess(terminal.env);
  await attach({ access, again: (id) => `aca attach ${id.slice(0, 8)}`, isGuest: false }, wanted, terminal);
}

/** `aca attach LINK`: the same for a guest, with the role of the invitation. */
export async function runAttachLink(
  { link, session, ...accepting }: LinkOptions,
  terminal: Terminal,
): Promise<void> {
  needTerminal(terminal);
  const { url, secret } = addressIn(link);
  if (secret === null)
    throw new UserError('The link has no code.', 'Copy the whole link that `aca serve invite` printed.');
  const tls = await acceptedServer(url, { root: dataRoot(terminal.env), ...accepting });
  const access = { url, secret, ...(tls && { tls }) };
  await attach({ access: () => access, again: () => 'aca attach LINK', isGuest: true }, session, terminal);
}

function needTerminal({ stdin, stdout }: Terminal): void {
  if (!stdin.isTTY || !stdout.isTTY)
    throw new UserError('`aca attach` needs a terminal.', 'Run it in one, or open the page of the server.');
}

function addressIn(link: string): ServerAddress {
  try {
    return serverAddress(link);
  } catch (error) {
    throw new UserError(`This is not an invitation link: ${link}`, (error as Error).message);
  }
}

async function attach(place: Place, wanted: string | undefined, terminal: Terminal): Promise<void> {
  const { stderr } = terminal;
  let server = place.access() ?? notRunning();
  let { id } = await sessionOf(wanted, server, terminal);
  // The process ends as usual, and its terminal is restored.
  for (const signal of ['SIGHUP', 'SIGTERM'] as const)
    terminal.onSignal(signal, () => process.exit(128 + constants.signals[signal]));
  for (;;) {
    const end = await attachOnce(id, server, terminal);
    switch (end.type) {
      case 'closed':
        stderr.write(`${end.message}\nAttach again with: ${place.again(id)}\n`);
        return;
      case 'moved':
        id = end.to;
        break;
      case 'refused':
        if (place.isGuest)
          throw new UserError(
            'Your access to the server has ended.',
            'Ask its owner for another invitation.',
          );
        // The owner has another token by now.
        server = await serverAgain(place);
        break;
      case 'lost':
        stderr.write('The connection to the server was lost. Reconnecting… (Ctrl+C to stop)\n');
        server = await serverAgain(place);
        break;
      default:
        end satisfies never;
    }
  }
}

function notRunning(): never {
  throw new UserError('No server is running.', 'Start one with `aca serve`, or `aca --background "TASK"`.');
}

/** The session by its id, or the one that most needs attention. */
async function sessionOf(
  wanted: string | undefined,
  server: ServerAccess,
  { cwd }: Terminal,
): Promise<SessionOverview> {
  const connection = await connectToServer(server);
  const all = await connection.agent
    .request<{ sessions: SessionOverview[] }>(serverMethods.overview, {})
    .finally(() => connection.close());
  const found =
    wanted === undefined
      ? all.sessions.toSorted((a, b) => rank(a, cwd) - rank(b, cwd))
      : all.sessions.filter(({ id, title }) => id.startsWith(wanted) || title === wanted);
  const [first, second] = found;
  if (!first)
    throw wanted === undefined
      ? new UserError(
          'There are no sessions yet.',
          'On its machine, start one with `aca --background "TASK"`.',
        )
      : new UserError(`There is no session "${wanted}".`, 'On its machine, `aca serve --status` lists them.');
  if (wanted !== undefined && second && first.id !== wanted)
    throw new UserError(`Several sessions start with "${wanted}".`, 'Add more of the id.');
  return first;
}

/** Sessions that wait or work come first, then those of this folder; the list is by last use. */
function rank({ state, cwd: folder }: SessionOverview, cwd: string): number {
  const states = { waiting: 0, working: 0, interrupted: 4, failed: 4, done: 4, idle: 4 };
  return states[state] + (folder === cwd ? 0 : 1);
}

/** One that answers: a server that has just started, or ends again, may be on record before or after it does. */
async function serverAgain({ access, isGuest }: Place): Promise<ServerAccess> {
  for (const until = performance.now() + RECONNECT_MS; performance.now() < until; await pause(LOOK_MS)) {
    const server = access();
    const connection =
      server &&
      (await connectToServer(server).catch((error: unknown) => {
        if (isGuest && error instanceof AccessRefused) throw error;
        return null;
      }));
    if (!server || !connection) continue;
    connection.close();
    return server;
  }
  throw new UserError('The server has ended.', 'Start it again with `aca serve`; its sessions are saved.');
}

async function attachOnce(sessionId: string, server: ServerAccess, terminal: Terminal): Promise<End> {
  const { stdin, stdout, env } = terminal;
  const held = new LocalTerminal(terminal);
  const microphone = new LocalMicrophone(terminal);
  let end: (how: End) => void = () => undefined;
  const ended = new Promise<End>((resolve) => {
    end = resolve;
  });
  const connection = await connectToServer(server, (app) => {
    app
      .onNotification(serverNotifications.terminalOutput, outputParams, ({ params }) =>
        held.write(params.data),
      )
      .onNotification(serverNotifications.terminalClosed, closedParams, ({ params: { message, next } }) => {
        held.isClean = true;
        end(next === null ? { type: 'closed', message } : { type: 'moved', to: next });
      })
      .onRequest(terminalActions.edit, editParams, async ({ params }): Promise<EditedText> => {
        return { text: await held.lend(() => editInProgram(params.text, editorOf(env))) };
      })
      .onRequest(terminalActions.suspend, z.unknown(), async () => {
        await held.lend(continued);
        return {};
      })
      .onRequest(terminalActions.record, recordParams, ({ params: { terminalId } }) =>
        microphone.start((sound) =>
          agent.notify(serverNotifications.terminalAudio, { terminalId, ...sound }),
        ),
      )
      .onRequest(terminalActions.endRecording, z.unknown(), async () => {
        await microphone.end();
        return {};
      });
  });
  const { agent } = connection;
  connection.socket.once('close', (code) => end({ type: code === ACCESS_ENDED ? 'refused' : 'lost' }));
  const typedAhead = held.hold();
  try {
    const { terminalId } = await agent
      .request<OpenTerminalResult>(serverMethods.openTerminal, {
        sessionId,
        ...sizeOf(stdout),
        env: Object.fromEntries(TERMINAL_VARIABLES.flatMap((name) => (env[name] ? [[name, env[name]]] : []))),
      } satisfies OpenTerminalParams)
      .catch((error: Error) => {
        const why = error.message.replace(/^Invalid request: /, '');
        throw new UserError(why, 'Attach to another session, or read this one in a browser.');
      });
    const tell = (method: string, params: object) =>
      void agent.notify(method, { terminalId, ...params }).catch(() => undefined);
    const type = (data: string) => tell(serverNotifications.terminalInput, { data });
    const resize = () => tell(serverNotifications.terminalResize, sizeOf(stdout));
    const gone = () => end({ type: 'closed', message: 'The terminal was closed.' });
    if (typedAhead !== '') type(typedAhead);
    stdin.on('data', type).on('end', gone).resume();
    stdout.on('resize', resize);
    const how = await ended;
    stdin.off('data', type).off('end', gone);
    stdout.off('resize', resize);
    return how;
  } finally {
    await microphone.end();
    held.restore();
    connection.close();
  }
}

/** This terminal, raw while a screen of the server is shown in it. It is restored however that ends. */
class LocalTerminal {
  readonly #terminal: Terminal;
  /** The screen has already restored what it changed. */
  isClean = false;
  #isAlternate = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Returns what was typed before. What is typed from now on waits until somebody listens. */
  hold(): string {
    const { stdin, stdout } = this.#terminal;
    process.on('exit', this.restore);
    const { typed, erase } = takeKeyboard({ stdin, stdout });
    stdin.setEncoding('utf8');
    if (erase !== '') stdout.write(erase);
    return typed;
  }

  /** Not raw meanwhile: another program reads the keys. */
  async lend<Result>(borrow: () => Promise<Result>): Promise<Result> {
    const { stdin } = this.#terminal;
    stdin.pause();
    stdin.setRawMode(false);
    try {
      return await borrow();
    } finally {
      stdin.setRawMode(true);
      stdin.resume();
    }
  }

  write(data: string): void {
    const [on, off] = [data.lastIndexOf('\u001b[?1049h'), data.lastIndexOf('\u001b[?1049l')];
    if (on !== off) this.#isAlternate = on > off;
    this.#terminal.stdout.write(data);
  }

  readonly restore = (): void => {
    const { stdin, stdout } = this.#terminal;
    process.off('exit', this.restore);
    if (!this.isClean) {
      const primary = this.#isAlternate ? '\u001b[?1049l' : '';
      // Marks of pastes, reports of focus and the keyboard protocols, which a screen switches on.
      stdout.write(`${primary}\u001b[<u\u001b[>4;0m\u001b[?2004l\u001b[?1004l\u001b[?2026l\u001b[?25h\r\n`);
    }
    if (stdin.isTTY) stdin.setRawMode(false);
    stdin.pause();
  };
}

/** Suspends this process, as Ctrl+Z does. Resolves when it was continued. */
function continued(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGCONT', () => resolve());
    process.kill(process.pid, 'SIGTSTP');
  });
}

function sizeOf({ columns, rows }: NodeJS.WriteStream) {
  return { columns: columns || 80, rows: rows || 24 };
}
