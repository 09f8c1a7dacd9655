import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type ClientContext,
  methods,
  type NewSessionResponse,
  type PromptRequest,
} from '@agentclientprotocol/sdk';
import type { TypedPrompt } from '../../app/conversation/prompt-queue.ts';
import { UserError } from '../../contract/errors.ts';
import { dataRoot } from '../../lib/files/data-root.ts';
import { makePrivateFolder } from '../../lib/files/private-folder.ts';
import { readTextIfAny } from '../../lib/files/read-text.ts';
import { startDetached } from '../../sandbox/shell/detached-program.ts';
import type { Options } from '../shared/options.ts';
import type { Terminal } from '../shared/terminal.ts';
import { programOf } from '../shared/this-program.ts';
import type { HandedOver } from '../terminal/terminal-conversation.ts';
import { AccessStore } from './access/access-store.ts';
import { signInLink } from './access/invitations.ts';
import { connectToServer } from './server-client.ts';
import { type PromptMeta, type SessionOverview, serverMethods } from './server-methods.ts';
import { findServer, type ServerRecord, serverFolder } from './server-record.ts';
import { ownerAccess } from './server-socket.ts';
import { sessionOptions } from './session-options.ts';

/** Starting takes a second; a machine under load may need much longer. */
const START_MS = 30_000;
const LOOK_MS = 50;

/** `aca --background TASK`: runs the task in the server, starting one if there is none. */
export async function runInBackground(prompt: string, options: Options, terminal: Terminal): Promise<void> {
  if (prompt.trim() === '')
    throw new UserError('--background needs a task.', 'Add it: aca --background "fix the failing test"');
  const { cwd } = terminal;
  await withServer(terminal, async (agent) => {
    const _meta = { aca: { options: sessionOptions(options) } };
    const { sessionId } = await agent.request<NewSessionResponse>(methods.agent.session.new, {
      cwd,
      mcpServers: [],
      _meta,
    });
    const typed = { text: prompt, images: [] };
    await began(agent, sessionId, () =>
      agent.request(methods.agent.session.prompt, promptRequest(sessionId, typed)),
    );
    terminal.stdout.write(await howToAttach(sessionId, terminal));
  });
}

/** Opens a session that was closed here in the server, continues its run, and sends the prompts that waited. */
export async function moveToBackground(
  { sessionId, isRunning, waiting, options }: HandedOver,
  terminal: Terminal,
): Promise<string> {
  await withServer(terminal, async (agent) => {
    await agent.request(serverMethods.open, {
      sessionId,
      _meta: { aca: { options: sessionOptions(options) } },
    });
    if (isRunning) await began(agent, sessionId, () => agent.request(serverMethods.resumeRun, { sessionId }));
    for (const prompt of waiting)
      agent
        .request(methods.agent.session.prompt, promptRequest(sessionId, prompt))
        // Answered after a run, when nobody is here any more.
        .catch(() => undefined);
    // All of them have arrived.
    await agent.request(serverMethods.overview, {});
  });
  return howToAttach(sessionId, terminal);
}

function promptRequest(sessionId: string, { text, images, after }: TypedPrompt): PromptRequest {
  const shown = images.map(({ mediaType, data }) => ({ type: 'image' as const, mimeType: mediaType, data }));
  const meta: PromptMeta = { after };
  return { sessionId, prompt: [{ type: 'text', text }, ...shown], ...(after && { _meta: { aca: meta } }) };
}

/** Sends a request that lasts as long as a run. Resolves when the run has started, or rejects if it cannot start. */
async function began(agent: ClientContext, sessionId: string, send: () => Promise<unknown>): Promise<void> {
  const ended = send();
  ended.catch(() => undefined);
  for (;;) {
    const { sessions } = await agent.request<{ sessions: SessionOverview[] }>(serverMethods.overview, {});
    const state = sessions.find(({ id }) => id === sessionId)?.state;
    if (state !== 'idle' && state !== 'interrupted') return;
    await Promise.race([ended, pause(LOOK_MS)]);
  }
}

async function withServer(terminal: Terminal, work: (agent: ClientContext) => Promise<void>): Promise<void> {
  const connection = await connectToServer(ownerAccess(await ensureServer(terminal), dataRoot(terminal.env)));
  try {
    await work(connection.agent);
  } finally {
    connection.close();
  }
}

/** The running server, or a new one that goes on after this process has ended. */
async function ensureServer(terminal: Terminal): Promise<ServerRecord> {
  const root = dataRoot(terminal.env);
  const running = findServer(root);
  if (running) return running;
  makePrivateFolder(serverFolder(root));
  const log = path.join(serverFolder(root), 'server.log');
  const command = [...programOf(terminal), 'serve'];
  const { exited } = startDetached({ command, cwd: root, env: terminal.env, log });
  let code: number | null | undefined;
  exited.then(
    (ended) => {
      code = ended;
    },
    () => {
      code = null;
    },
  );
  for (const until = performance.now() + START_MS; performance.now() < until; await pause(LOOK_MS)) {
    const server = findServer(root);
    if (server) return server;
    if (code !== undefined) break;
  }
  const last = ((await readTextIfAny(log)) ?? '').trim().split('\n').slice(-3).join('\n');
  throw new UserError('The server could not be started.', `${last}\nIts log is ${log}.`);
}

async function howToAttach(sessionId: string, { env }: Terminal): Promise<string> {
  const root = dataRoot(env);
  const { publicUrl = '' } = findServer(root) ?? {};
  const link = await signInLink(new AccessStore(serverFolder(root)), publicUrl);
  return [
    `Session ${sessionId} is running in the background.`,
    `Attach with: aca attach ${sessionId.slice(0, 8)}`,
    `In a browser: ${link}`,
    '',
  ].join('\n');
}
