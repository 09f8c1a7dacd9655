import {
  type AgentApp,
  type AgentContext,
  type AuthMethod,
  agent,
  type ClientCapabilities,
  type InitializeRequest,
  methods,
  PROTOCOL_VERSION,
  RequestError,
} from '@agentclientprotocol/sdk';
import type { SessionOptions } from '../../app/options.ts';
import { version } from '../../lib/version.ts';
import type { Terminal } from '../shared/terminal.ts';
import { programOf } from '../shared/this-program.ts';
import { EditorClient } from './client.ts';
import type { AgentExtensions } from './extension-methods.ts';
import { withExtensions } from './extension-requests.ts';
import type { Sessions } from './sessions.ts';

/** The methods of the protocol, for one connection. */
export class AcpAgent {
  readonly #open: () => Promise<Sessions>;
  /** How this program is started. */
  readonly #program: readonly string[];
  #sessions: Promise<Sessions> | null = null;
  #capabilities: ClientCapabilities = {};
  /** Until the client authenticates again. Keys stay where they are stored. */
  #isLoggedOut = false;

  constructor(options: SessionOptions, terminal: Terminal, leaving: AbortSignal) {
    this.#program = programOf(terminal);
    // The editor waits for the first answer, which needs nothing of this.
    this.#open = async () => {
      const { Sessions } = await import('./sessions.ts');
      return new Sessions({ options, terminal, leaving });
    };
  }

  app(): AgentApp {
    const { agent: names } = methods;
    const { session } = names;
    const app = agent({ name: 'ai-code-assistant' })
      .onRequest(names.initialize, ({ params }) => {
        this.#capabilities = usableCapabilities(params);
        setImmediate(() => void this.#all());
        return greeting(this.#capabilities, this.#program);
      })
      .onRequest(names.authenticate, async ({ params: { methodId } }) => {
        if (!authMethods(this.#capabilities, this.#program).some(({ id }) => id === methodId))
          throw RequestError.invalidParams(undefined, `There is no authentication method "${methodId}".`);
        await (await this.#all()).authenticate();
        this.#isLoggedOut = false;
      })
      .onRequest(names.logout, () => {
        this.#isLoggedOut = true;
      })
      .onRequest(session.new, async ({ params, client }) =>
        (await this.#loggedIn()).begin(params, this.#of(client)),
      )
      .onRequest(session.load, async ({ params, client }) =>
        (await this.#loggedIn()).load(params, this.#of(client)),
      )
      .onRequest(session.resume, async ({ params, client }) =>
        (await this.#loggedIn()).resume(params, this.#of(client)),
      )
      .onRequest(session.list, async ({ params }) => (await this.#all()).list(params))
      .onRequest(session.delete, async ({ params }) => (await this.#all()).delete(params.sessionId))
      .onRequest(session.close, async ({ params }) => (await this.#all()).close(params.sessionId))
      .onRequest(session.setMode, async ({ params }) => (await this.#all()).setMode(params))
      .onRequest(session.setConfigOption, async ({ params }) => (await this.#all()).setOption(params))
      .onRequest(session.prompt, async ({ params, signal }) => (await this.#all()).prompt(params, signal))
      .onNotification(session.cancel, async ({ params }) => (await this.#all()).cancel(params.sessionId));
    return withExtensions(app, () => this.#all());
  }

  async close(): Promise<void> {
    await (await this.#sessions)?.closeAll();
  }

  #of(context: AgentContext) {
    return (sessionId: string) => new EditorClient(context, this.#capabilities, sessionId);
  }

  /** For sessions to open. Those that are open already go on. */
  #loggedIn(): Promise<Sessions> {
    if (this.#isLoggedOut) throw RequestError.authRequired(undefined, 'You are logged out.');
    return this.#all();
  }

  #all(): Promise<Sessions> {
    this.#sessions ??= this.#open();
    return this.#sessions;
  }
}

/** An unknown version is answered with ours, and the client decides. `program`: how a client on this machine starts it. */
export function greeting(client: ClientCapabilities, program: readonly string[] = []) {
  const extensions: AgentExtensions = { aca: { changes: true, undo: true, completeFiles: true } };
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'ai-code-assistant', title: 'ai-code-assistant', version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, delete: {}, additionalDirectories: {}, resume: {}, close: {} },
      auth: { logout: {} },
      _meta: extensions,
    },
    authMethods: authMethods(client, program),
  };
}

/**
 * Clients that answer `fs/read_text_file` from the disk and replace the text of the open file in `fs/write_text_file`:
 * what the user has not saved would be lost without a word, so that the files are changed on the disk only.
 */
const READ_THE_DISK: ReadonlySet<string> = new Set(['CodeCompanion.nvim']);

function usableCapabilities({ clientCapabilities = {}, clientInfo }: InitializeRequest): ClientCapabilities {
  const { fs: _, ...others } = clientCapabilities;
  return READ_THE_DISK.has(clientInfo?.name ?? '') ? others : clientCapabilities;
}

/** Only some clients can open a terminal for it; older ones want the whole command, under a name of their own. */
function authMethods({ auth, _meta }: ClientCapabilities, program: readonly string[]): AuthMethod[] {
  const [command, ...before] = program;
  const knowsCommand = command !== undefined && _meta?.['terminal-auth'] === true;
  const args = ['--setup'];
  const inTerminal: AuthMethod = {
    id: 'terminal',
    type: 'terminal',
    name: 'Set up a model',
    description: 'Choose a vendor and enter a key, or use a model on this machine',
    args,
    ...(knowsCommand && {
      _meta: { 'terminal-auth': { command, args: [...before, 'acp', ...args], label: 'Set up a model' } },
    }),
  };
  const environment: AuthMethod = {
    id: 'environment',
    name: 'Use what is set up already',
    description: 'A key from the environment or `aca keys set`, or a model server on this machine',
  };
  return auth?.terminal || knowsCommand ? [inTerminal, environment] : [environment];
}
