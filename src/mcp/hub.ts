import path from 'node:path';
import { EventChannel } from '../lib/async/event-channel.ts';
import { Connection, type ConnectionDeps } from './connection/connection.ts';
import { within } from './connection/within.ts';
import type { ServerSettings } from './settings.ts';
import { type SeenTools, seenTools } from './tools/seen-tools.ts';
import { READ_RESOURCE } from './tools/server-tool.ts';

export type HubOptions = Omit<ConnectionDeps, 'onChange' | 'notice' | 'loginFolder' | 'neutralFolder'> & {
  servers: Readonly<Record<string, ServerSettings>>;
  dataRoot: string;
};

/** All servers of this process: connected once, in parallel, shared by all sessions. */
export type Hub = {
  connections: readonly Connection[];
  seen: SeenTools;
  find(name: string): Connection | undefined;
  /** Resolves when these servers, or all, are ready or failed, after this time, or with the signal. */
  settled(ms: number, wait?: { names?: readonly string[]; signal?: AbortSignal }): Promise<void>;
  /** The names of servers that are still starting. */
  starting(): string[];
  /** Receives notices for the user, including earlier ones. */
  onNotice(listener: (text: string) => void): () => void;
  close(): Promise<void>;
};

/** Starts connecting and returns at once, without waiting for any server. */
export function openHub({ servers, dataRoot, ...around }: HubOptions): Hub {
  const notices = new EventChannel<string>();
  const folder = mcpFolder(dataRoot);
  const deps = {
    ...around,
    loginFolder: path.join(folder, 'logins'),
    neutralFolder: path.join(folder, 'neutral'),
    onChange: () => undefined,
    notice: (text: string) => notices.emit(text),
  };
  const connections = Object.entries(servers).map(([name, settings]) => new Connection(name, settings, deps));
  const seen = seenTools(path.join(folder, 'seen-tools.json'));
  const loaded = seen.load();
  const starts = new Map(connections.map((connection) => [connection.name, connection.start()]));
  return {
    connections,
    seen,
    find: (name) => connections.find((connection) => connection.name === name),
    async settled(ms, { names = [...starts.keys()], signal } = {}) {
      await within(Promise.all(names.map((name) => starts.get(name))), ms, signal);
      await loaded;
    },
    starting: () => connections.filter(({ phase }) => phase === 'connecting').map(({ name }) => name),
    onNotice: (listener) => notices.listen(listener),
    async close() {
      await Promise.all(connections.map((connection) => connection.close()));
      await around.keeper.close();
    },
  };
}

export function mcpFolder(dataRoot: string): string {
  return path.join(dataRoot, 'mcp');
}

/** `server:tool`, split at the first colon; null without one. */
export function splitName(name: string): { server: string; tool: string } | null {
  const colon = name.indexOf(':');
  return colon < 1 ? null : { server: name.slice(0, colon), tool: name.slice(colon + 1) };
}

/** The tools of a connection that don't clash with our own names. */
export function toolsOf({ offers, phase }: Connection) {
  const isThere = phase === 'ready' || phase === 'connecting';
  return isThere ? offers.tools.filter(({ name }) => name !== READ_RESOURCE) : [];
}
