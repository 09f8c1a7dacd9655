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

/** All servers of this process: connected once, side by side, whoever asks. */
export type Hub = {
  connections: readonly Connection[];
  seen: SeenTools;
  find(name: string): Connection | undefined;
  /** Resolves when these servers, or all, are ready or known not to be, after this time, or with the signal. */
  settled(ms: number, wait?: { names?: readonly string[]; signal?: AbortSignal }): Promise<void>;
  /** The names of those that are neither. */
  starting(): string[];
  /** Told what a user should know; what came before anybody listened comes first. */
  onNotice(listener: (text: string) => void): () => void;
  close(): Promise<void>;
};

/** Begins to connect and returns at once: nobody waits for a server who does not want to. */
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

/** `server:tool`, split at the first colon; null where there is none. */
export function splitName(name: string): { server: string; tool: string } | null {
  const colon = name.indexOf(':');
  return colon < 1 ? null : { server: name.slice(0, colon), tool: name.slice(colon + 1) };
}

/** The tools a connection offers that can be told from what we add ourselves. */
export function toolsOf({ offers, phase }: Connection) {
  const isThere = phase === 'ready' || phase === 'connecting';
  return isThere ? offers.tools.filter(({ name }) => name !== READ_RESOURCE) : [];
}
