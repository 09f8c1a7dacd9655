import path from 'node:path';
import type { LocalServer } from '../../providers/local/discover.ts';
import type { ModelFile } from './models-on-disk.ts';

/**
 * One option for getting to a working conversation, and the key that selects it. A model `needsRuntime` when
 * it is a file and the runtime for embedded models is not installed yet.
 */
export type Way = { key: string; label: string } & (
  | { type: 'model'; model: string; needsRuntime: boolean }
  | { type: 'setup' }
  | { type: 'paste' }
  | { type: 'look' }
  | { type: 'demo' }
  | { type: 'quit' }
);

export type Found = {
  servers: readonly LocalServer[];
  files: readonly ModelFile[];
  /** The runtime for embedded models is installed. */
  hasRuntime: boolean;
};

/** The options when nothing is configured: what is already available first, then what can be installed. */
export function firstRunOptions({ servers, files, hasRuntime }: Found): Way[] {
  const served = servers.flatMap(({ provider, models }) =>
    models.map(({ name }) => ({
      model: `${provider}/${name}`,
      label: `use ${provider}/${name}`,
      needsRuntime: false,
    })),
  );
  const stored = files.map(({ file, bytes }) => ({
    model: file,
    label: `use ${path.basename(file)} (${gigabytes(bytes)})${hasRuntime ? '' : '; also downloads the runtime, once'}`,
    needsRuntime: !hasRuntime,
  }));
  return [
    ...[...served, ...stored]
      .slice(0, 9)
      .map((model, i): Way => ({ key: String(i + 1), type: 'model', ...model })),
    { key: 'e', label: 'download a model that runs on this machine and works offline', type: 'setup' },
    { key: 'k', label: 'paste an API key', type: 'paste' },
    { key: 's', label: 'search for local servers again', type: 'look' },
    { key: 'd', label: 'demo', type: 'demo' },
    { key: 'q', label: 'quit', type: 'quit' },
  ];
}

/** Local models one per line, the other options side by side. */
export function menuOf(ways: readonly Way[]): string {
  const line = ({ key, label }: Way) => `[${key}] ${label}`;
  const isHere = ({ type }: Way) => type === 'model' || type === 'setup';
  const here = ways.filter(isHere).map(line);
  const others = ways.filter((way) => !isHere(way)).map(line);
  return [...here, others.join('   ')].join('\n');
}

export function gigabytes(bytes: number): string {
  return bytes < 1e8 ? `${Math.max(1, Math.round(bytes / 1e6))} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
