import path from 'node:path';
import type { Config } from '../../config/schema/schema.ts';
import { homeFolder } from '../../lib/files/data-root.ts';
import { unlessErrno } from '../../lib/files/errno.ts';
import { readRegularText } from '../../lib/files/regular-file.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** What npm downloads with, and so do we: the user's registry, and the authorities of its certificate. */
export type NpmSettings = { registry?: string; cafile?: string };

const UNREADABLE = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EISDIR', 'ELOOP'];

/** From npm's variables, then from the user's and the machine's npmrc. That of a project may be anybody's. */
export function npmSettings(env: Env, execPath = process.execPath): NpmSettings {
  const files = [
    variable(env, 'userconfig') ?? path.join(homeFolder(env), '.npmrc'),
    variable(env, 'globalconfig') ?? path.join(path.dirname(path.dirname(execPath)), 'etc', 'npmrc'),
  ];
  const sources = files.map((file) =>
    parseNpmrc(
      unlessErrno(UNREADABLE, '', () => readRegularText(file)),
      env,
    ),
  );
  const setting = (name: 'registry' | 'cafile') => {
    const value = variable(env, name) ?? sources.map((one) => one[name]).find((one) => one);
    return value ? { [name]: value } : {};
  };
  return { ...setting('registry'), ...setting('cafile') };
}

function variable(env: Env, name: string): string | undefined {
  return env[`npm_config_${name}`] || env[`NPM_CONFIG_${name.toUpperCase()}`] || undefined;
}

/** The two settings in lines such as `cafile = "/etc/ca.pem"`, in which `${HOME}` is a variable. */
function parseNpmrc(text: string, env: Env): NpmSettings {
  const found: NpmSettings = {};
  for (const line of text.split(/\r?\n/)) {
    const [, name, written = ''] = /^\s*(registry|cafile)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name !== 'registry' && name !== 'cafile') continue;
    const value = written
      .replace(/^(["'])(.*)\1$/, '$2')
      .replaceAll(/\$\{([^}]+)\}/g, (whole, key: string) => env[key] ?? whole)
      .replace(/^~(?=[/\\])/, homeFolder(env));
    if (value !== '') found[name] = value;
  }
  return found;
}

/** For requests to the registry: npm's authorities, unless the user has named some for aca. */
export function withNpmCertificates(config: Config, { cafile }: NpmSettings): Config {
  if (cafile === undefined || config.network.caFile !== undefined) return config;
  return { ...config, network: { ...config.network, caFile: cafile } };
}
