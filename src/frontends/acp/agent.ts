import {
  type AgentApp,
  type AgentContext,
  agent,
  type ClientCapabilities,
  methods,
  PROTOCOL_VERSION,
} from '@agentclientprotocol/sdk';
import type { SessionOptions } from '../../app/options.ts';
import { version } from '../../lib/version.ts';
import type { Terminal } from '../shared/terminal.ts';
import { EditorClient } from './client.ts';
import type { AgentExtensions } from './extension-methods.ts';
import { withExtensions } from './extension-requests.ts';
import type { Sessions } from './sessions.ts';

/** The methods of the protocol, for one connection. */
export class AcpAgent {
  readonly #open: () => Promise<Sessions>;
  #sessions: Promise<Sessions> | null = null;
  #capabilities: ClientCapabilities = {};

  constructor(options: SessionOptions, terminal: Terminal, leaving: AbortSignal) {
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
        this.#capabilities = params.clientCapabilities ?? {};
        setImmediate(() => void this.#all());
        return greeting();
      })
      .onRequest(names.authenticate, async () => (await this.#all()).authenticate())
      .onRequest(session.new, async ({ params, client }) =>
        (await this.#all()).begin(params, this.#of(client)),
      )
      .onRequest(session.load, async ({ params, client }) =>
        (await this.#all()).load(params, this.#of(client)),
      )
      .onRequest(session.resume, async ({ params, client }) =>
        (await this.#all()).resume(params, this.#of(client)),
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

  #all(): Promise<Sessions> {
    this.#sessions ??= this.#open();
    return this.#sessions;
  }
}

/** An unknown version is answered with ours, and the client decides. */
function greeting() {
  const extensions: AgentExtensions = { aca: { changes: true, undo: true, completeFiles: true } };
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'ai-code-assistant', title: 'ai-code-assistant', version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, delete: {}, additionalDirectories: {}, resume: {}, close: {} },
      _meta: extensions,
    },
    authMethods: [
      {
        id: 'terminal',
        type: 'terminal' as const,
        name: 'Set up a model',
        description: 'Choose a vendor and enter a key, or use a model on this machine',
        args: ['--setup'],
      },
      {
        id: 'environment',
        name: 'Use what is set up already',
        description: 'A key from the environment or `aca keys set`, or a model server on this machine',
      },
    ],
  };
}
