import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import {
  type AnyMessage,
  type ClientCapabilities,
  type ClientContext,
  type CreateElicitationRequest,
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type PromptRequest,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { onTestFinished } from 'vitest';
import { cleanEnv, doors } from './aca.ts';
import type { Step } from './model-server/script.ts';
import { program } from './program.ts';
import { serve } from './serve.ts';
import type { Workspace } from './workspace.ts';

export type Editor = {
  agent: ClientContext;
  child: ChildProcess;
  /** Everything the agent has sent, in order. */
  messages: AnyMessage[];
  updates: SessionUpdate[];
  asked: RequestPermissionRequest[];
  /** Resolves with the first update that fits, also an earlier one. */
  sees<Kind extends SessionUpdate['sessionUpdate']>(
    kind: Kind,
    fits?: (update: Extract<SessionUpdate, { sessionUpdate: Kind }>) => boolean,
  ): Promise<Extract<SessionUpdate, { sessionUpdate: Kind }>>;
};

export type EditorOptions = {
  args?: string[];
  env?: Record<string, string>;
  capabilities?: ClientCapabilities;
  /** The editor's open files, by absolute path. Without it, the editor does not offer any. */
  buffers?: Map<string, string>;
  /** How it writes a file, if not to its buffer and the disk. */
  write?(path: string, content: string): void;
  /** How it reads a file, if not from its buffer or else the disk. */
  read?(path: string): string;
  /** As the editor calls itself. */
  name?: string;
  /** Answers a question with the text of the answer; null declines. Without it, the editor has no forms. */
  answerForm?(request: CreateElicitationRequest): string | null;
  /** Answers a permission request with the id of an option, or with `cancelled`. */
  answer?(request: RequestPermissionRequest, signal: AbortSignal): Promise<string> | string;
};

/** The program as an agent, behind the client of the official library. */
export async function editor(space: Workspace, options: EditorOptions = {}): Promise<Editor> {
  const { args = [], env = {}, answer = () => 'once', buffers, answerForm } = options;
  const capabilities: ClientCapabilities = {
    ...(buffers && { fs: { readTextFile: true, writeTextFile: true } }),
    ...(answerForm && { elicitation: { form: {} } }),
    ...options.capabilities,
  };
  const line = program(['acp', ...args]);
  const child = spawn(line.file, line.args, {
    cwd: space.home,
    env: cleanEnv(space, env),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [messages, updates, asked]: [AnyMessage[], SessionUpdate[], RequestPermissionRequest[]] = [
    [],
    [],
    [],
  ];
  const watching = new Set<() => void>();
  const app = client({ name: 'a test' })
    .onRequest(methods.client.session.requestPermission, async ({ params, signal }) => {
      asked.push(params);
      const chosen = await answer(params, signal);
      return outcomeOf(chosen);
    })
    .onRequest(methods.client.fs.readTextFile, ({ params: { path } }) => {
      const content = options.read?.(path) ?? buffers?.get(path) ?? readFileSync(path, 'utf8');
      return { content };
    })
    .onRequest(methods.client.fs.writeTextFile, ({ params: { path, content } }) => {
      if (options.write) return options.write(path, content);
      buffers?.set(path, content);
      writeFileSync(path, content);
    })
    .onRequest(methods.client.elicitation.create, ({ params }) => {
      const text = answerForm?.(params) ?? null;
      return text === null ? { action: 'decline' } : { action: 'accept', content: { answer: text } };
    })
    .onNotification(methods.client.session.update, () => undefined);
  const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream);
  const readable = stream.readable.pipeThrough(
    new TransformStream<AnyMessage, AnyMessage>({
      transform(message, controller) {
        messages.push(message);
        // The library's own handlers run later than that of an answer which follows at once.
        if ('method' in message && message.method === methods.client.session.update) {
          updates.push((message.params as SessionNotification).update);
          for (const look of watching) look();
        }
        controller.enqueue(message);
      },
    }),
  );
  const { agent } = app.connect({ writable: stream.writable, readable });
  await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: capabilities,
    ...(options.name !== undefined && { clientInfo: { name: options.name, version: '1' } }),
  });
  const sees: Editor['sees'] = (kind, fits = () => true) =>
    new Promise((resolve) => {
      const look = () => {
        const found = updates.find((update) => update.sessionUpdate === kind && fits(update as never));
        if (!found) return;
        watching.delete(look);
        resolve(found as never);
      };
      watching.add(look);
      look();
    });
  return { agent, child, messages, updates, asked, sees };
}

/** An editor with a session in the workspace's folder, and a model that plays this script. */
export async function startedEditor(space: Workspace, script: readonly Step[], options: EditorOptions = {}) {
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  const args = ['--model', model, ...(options.args ?? [])];
  const opened = await editor(space, { ...options, args, env: { ...env, ...options.env } });
  const created = await opened.agent.request(methods.agent.session.new, { cwd: space.root, mcpServers: [] });
  return { ...opened, ...created, server };
}

function outcomeOf(chosen: string): RequestPermissionResponse {
  return chosen === 'cancelled'
    ? { outcome: { outcome: 'cancelled' } }
    : { outcome: { outcome: 'selected', optionId: chosen } };
}

/** All options of a permission request are shown by their names. */
export const showsOptions: ClientCapabilities = { _meta: { aca: { options: true } } };

/** Sends a prompt; resolves when it is answered. */
export function ask({ agent }: Editor, sessionId: string, words: string): Promise<PromptResponse> {
  const prompt = [{ type: 'text' as const, text: words }];
  return agent.request<PromptResponse, PromptRequest>(methods.agent.session.prompt, { sessionId, prompt });
}

/** The text of the answer so far. */
export function answerIn(updates: readonly SessionUpdate[]): string {
  return updates
    .flatMap((update) =>
      update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text'
        ? [update.content.text]
        : [],
    )
    .join('');
}
