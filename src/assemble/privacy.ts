import { homedir } from 'node:os';
import path from 'node:path';
import type { AgentEvent } from '../contract/event.ts';
import type { Provider } from '../contract/provider.ts';
import { envSecrets } from '../firewall/env-secrets.ts';
import { fileSecrets } from '../firewall/file-secrets.ts';
import { createFirewall, guardProvider } from '../firewall/firewall.ts';
import type { NamedSecret } from '../firewall/looks-secret.ts';
import { ownKey } from '../lib/own-key.ts';
import { peek } from '../lib/peek.ts';
import { createAudit } from '../observability/audit.ts';
import { TraceIds } from '../observability/trace-ids.ts';
import type { Guard } from '../sandbox/guard.ts';
import type { Parts } from './parts.ts';

/**
 * Tools that stay on this machine: they get the values that placeholders stand for. A tool that is not named here
 * gets the placeholders.
 */
const LOCAL = new Set([
  'Read',
  'Write',
  'Edit',
  'MultiEdit',
  'Delete',
  'List',
  'Glob',
  'Grep',
  'Search',
  'Bash',
]);

export type Privacy = {
  /** Nothing secret leaves through it. */
  guard(provider: Provider): Provider;
  localInput(tool: string, input: unknown): unknown;
  /** Placeholders for what is secret in a text, or in the texts of a plain value. */
  hide<T>(value: T): T;
  /** Writes the audit log, and lets others watch; a listener for the controller. */
  watch(event: AgentEvent): void;
};

/** What must not leave this machine does not, and what was allowed is written down. */
export function createPrivacy(
  parts: Parts,
  { guard, notice }: { guard: Pick<Guard, 'closedBecause'>; notice(text: string): void },
): Privacy {
  const { config, cwd, dataRoot, opened } = parts;
  let own: NamedSecret[] | undefined;
  const firewall = createFirewall({
    secrets: [
      () => {
        own ??= ownSecrets(parts);
        return own;
      },
      fileSecrets({
        folders: [cwd, ...config.additionalDirectories],
        except: dataRoot,
        home: homedir(),
        isClosed: (file) => guard.closedBecause(file, 'read') !== null,
        peek,
      }),
    ],
    key: () => ownKey(path.join(dataRoot, 'firewall.key')),
  });
  const audit = createAudit({
    file: path.join(dataRoot, 'audit.jsonl'),
    sessionId: opened.session.id,
    cwd,
    redact: (record) => firewall.hide(record),
    onTrouble: notice,
  });
  const traces = new TraceIds();
  const hide = <T>(value: T): T => firewall.hide(value);
  return {
    guard: (provider) => (config.redactSecrets ? guardProvider(provider, firewall) : provider),
    localInput: (tool, input) => (LOCAL.has(tool) ? firewall.restore(input) : input),
    hide,
    watch: (event) => {
      if (config.auditLog) audit.take(event);
      parts.watch?.(event, { ids: traces.of(event), hide });
    },
  };
}

/** Of the environment, the settings and the keychain. */
function ownSecrets({ config, env, keyVariables, choice }: Parts): NamedSecret[] {
  const rows = Object.entries(config.providers);
  const settings = [
    { name: 'apiKey', value: config.apiKey },
    { name: 'apiKey', value: choice.key?.key },
    { name: 'cache.redis.key', value: config.cache.redis.key },
    ...rows.map(([name, row]) => ({ name: `${name}.apiKey`, value: row.apiKey })),
    ...[...rows, ...Object.entries(config.mcpServers)].flatMap(([name, row]) =>
      Object.values(row.headers ?? {}).map((value) => ({ name: `${name}.header`, value })),
    ),
  ];
  return [
    ...envSecrets(env, keyVariables),
    ...Object.values(config.mcpServers).flatMap((server) => envSecrets(server.env ?? {}, [])),
    ...settings.flatMap(({ name, value }) => (value && value.length >= 8 ? [{ name, value }] : [])),
  ];
}
