import path from 'node:path';
import { fileHistory } from '../../src/app/conversation/file-history.ts';
import { createSessionActions } from '../../src/app/conversation/session-actions.ts';
import { findModel } from '../../src/app/opening/find-model.ts';
import { loadSettings } from '../../src/app/settings.ts';
import { assemble } from '../../src/assembly/assemble.ts';
import { startServers } from '../../src/assembly/extensions/start-servers.ts';
import { modelInfo } from '../../src/assembly/models/choose-model.ts';
import type { UserMessage } from '../../src/contract/message.ts';
import type { PermissionMode } from '../../src/contract/permission.ts';
import type { Provider } from '../../src/contract/provider.ts';
import type { EffortChoice } from '../../src/contract/request/effort.ts';
import { createProvider } from '../../src/providers/index.ts';
import { SessionStore } from '../../src/session/store.ts';
import { cleanEnv } from './aca.ts';
import type { Program } from './mcp.ts';
import type { Workspace } from './workspace.ts';

export type Player = {
  /** A run in a new session, with everything created again as in a new process. */
  begin(): Promise<Played>;
  resume(id: string, changes?: Changes): Promise<Played>;
  /** A copy of the first messages of a session, all of them by default. */
  fork(id: string, keep?: number): Promise<Played>;
};

/** What is different when a session is opened again. */
export type Changes = { model?: string; folders?: string[]; servers?: Record<string, Program> };

/** When a run is interrupted: after the model's first text, or once a call has begun. */
export type Interruption = 'text' | 'tool_start';

export type Played = {
  id: string;
  /** How many epochs the conversation has had. */
  epochs(): number;
  setMode(mode: PermissionMode): void;
  setEffort(effort: EffortChoice): void;
  setStyle(name: string): void;
  pin(text: string): Promise<void>;
  /** Undoes the file changes of the last run. */
  undo(): Promise<void>;
  /** Removes the messages from this index on. */
  rewind(keep: number): Promise<void>;
  uncompact(): Promise<boolean>;
  refresh(): Promise<void>;
  messageCount(): number;
  /** Where each prompt of the conversation is among its messages. */
  promptStarts(): number[];
  run(content: UserMessage['content'], options?: { interruptAt?: Interruption }): Promise<void>;
  /** `/compact`; false when there was nothing old enough. */
  compact(): Promise<boolean>;
  close(): Promise<void>;
};

export type PlayerOptions = {
  space: Workspace;
  model: string;
  env: Record<string, string>;
  effort?: 'low' | 'high';
  /** Wraps the provider. */
  wrap?: (provider: Provider) => Provider;
};

/** Sessions of the whole program except its frontend, in this process. */
export function playSessions({ space, model, env, effort, wrap = (it) => it }: PlayerOptions): Player {
  const root = path.join(space.home, '.ai-assistant');
  const store = new SessionStore(path.join(root, 'sessions'));

  async function open(
    opened: Awaited<ReturnType<SessionStore['resume']>>,
    changes: Changes = {},
  ): Promise<Played> {
    if (!opened) throw new Error('There is no such session.');
    const terminal = { env: cleanEnv(space, env), cwd: space.root };
    // Settings and models use nothing else of a terminal.
    const face = terminal as unknown as Parameters<typeof findModel>[1];
    const settings = loadSettings({ model: changes.model ?? model }, face);
    const choice = await findModel(settings, face);
    if (!choice) throw new Error(`There is no model ${model}.`);
    const { preset, baseUrl, key } = choice;
    const config = {
      ...settings.config,
      ...(effort && { effort }),
      ...(changes.folders && { additionalDirectories: changes.folders }),
      ...(changes.servers && { mcpServers: changes.servers }),
    };
    const provider = await createProvider(preset, {
      baseUrl,
      ...(key && { apiKey: key.key }),
      infoOf: (name) => modelInfo(preset, name, config),
    });
    const servers = startServers({
      ...{ config, cwd: space.root, trusted: true, version: 'test', env: terminal.env, dataRoot: root },
      fetch,
    });
    const {
      controller,
      window,
      mode,
      effort: efforts,
      styles,
      undo,
      close,
    } = assemble({
      ...terminal,
      servers: servers.createTools,
      config,
      dataRoot: root,
      trusted: true,
      choice,
      provider: wrap(provider),
      keyVariables: [],
      hiddenVariables: [],
      opened,
    });
    const actions = () =>
      createSessionActions({
        ...{ opened, store, keeps: true, cwd: space.root, redact: (session) => session },
        confirm: async () => true,
        warn: () => undefined,
        goOn: () => undefined,
      });
    return {
      id: opened.session.id,
      epochs: () => opened.session.view?.epochs.length ?? 0,
      setMode: (next) => mode.set(next),
      setEffort: (next) => efforts.set(next),
      setStyle: (name) => void styles.select(name),
      pin: async (text) => void (await window.pin(text)),
      undo: async () => void (await (await fileHistory(undo).undo())?.apply()),
      rewind: (keep) => actions().rewind(keep),
      uncompact: async () => (await window.uncompact()) !== null,
      refresh: async () => void (await window.refresh()),
      promptStarts: () => opened.session.messages.flatMap(({ role }, i) => (role === 'user' ? [i] : [])),
      messageCount: () => opened.session.messages.length,
      async run(content, { interruptAt } = {}) {
        const stop = controller.listen(({ type }) => {
          if (type === interruptAt) controller.interrupt();
        });
        const { reason, error } = await controller.submit(content);
        stop();
        if (reason !== (interruptAt ? 'interrupted' : 'done'))
          throw new Error(`The run ended with ${reason}: ${error?.message}`);
      },
      compact: async () => (await window.compact('', new AbortController().signal)) !== null,
      async close() {
        await close();
        await servers.close();
      },
    };
  }

  return {
    begin: () => open(store.create(space.root, { model })),
    resume: async (id, changes) => open(await store.resume(id), changes),
    fork: async (id, keep) => open(await store.fork(id, keep)),
  };
}
