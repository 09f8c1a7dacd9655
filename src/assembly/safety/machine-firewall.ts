import { homedir } from 'node:os';
import path from 'node:path';
import type { Config } from '../../config/schema/schema.ts';
import { envSecrets } from '../../firewall/env-secrets.ts';
import { fileSecrets } from '../../firewall/file-secrets.ts';
import { createFirewall, type Firewall, type SecretSource } from '../../firewall/firewall.ts';
import type { NamedSecret } from '../../firewall/looks-secret.ts';
import { dataKey } from '../../lib/files/data-key.ts';
import { peek } from '../../lib/files/peek.ts';

export type MachineSecrets = {
  config: Config;
  env: NodeJS.ProcessEnv;
  dataRoot: string;
  /** Environment variables that always hold keys, whatever their value looks like. */
  keyVariables: readonly string[];
  /** The keys in use, some of which come from the keychain. */
  keys?: readonly (string | undefined)[];
  /** Credentials that a cloud's own library found so far. */
  credentials?: SecretSource;
  /** Searched for protected files. */
  folders: readonly string[];
  isClosed(file: string): boolean;
  /** Tools whose results are unmodified local text: a placeholder in them is literally in the source. */
  isPlain?(tool: string): boolean;
  /** Called with what the user should know about its limits. */
  notice?(text: string): void;
};

/** Knows the secrets of this machine: from the environment, settings, keychain and protected files. */
export function machineFirewall(secrets: MachineSecrets): Firewall {
  const { dataRoot, folders, isClosed, isPlain, credentials, notice } = secrets;
  let own: NamedSecret[] | undefined;
  return createFirewall({
    secrets: [
      () => {
        own ??= ownSecrets(secrets);
        return own;
      },
      ...(credentials ? [credentials] : []),
      fileSecrets({
        folders,
        except: dataRoot,
        home: homedir(),
        isClosed,
        peek,
        ...(notice && { onLimit: notice }),
      }),
    ],
    key: () => dataKey(path.join(dataRoot, 'firewall.key')),
    ...(isPlain && { isPlain }),
  });
}

function ownSecrets({ config, env, keyVariables, keys = [] }: MachineSecrets): NamedSecret[] {
  const rows = Object.entries(config.providers);
  const settings = [
    { name: 'apiKey', value: config.apiKey },
    ...keys.map((value) => ({ name: 'apiKey', value })),
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
