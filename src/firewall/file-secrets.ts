import path from 'node:path';
import type { Peek } from '../lib/files/peek.ts';
import { gitDirs } from '../lib/paths/git-dirs.ts';
import type { SecretSource } from './firewall.ts';
import type { NamedSecret } from './looks-secret.ts';
import { parseSecrets } from './parse-secrets.ts';

const MAX_BYTES = 1024 * 1024;
/** Upper levels first, where secrets usually are. */
const MAX_FOLDERS = 2000;
const MAX_DEPTH = 32;
const MAX_FILES = 200;
/** Large, and full of third-party fixtures. */
const PASSED_OVER = new Set([
  'node_modules',
  '.git',
  '.hg',
  '.svn',
  'vendor',
  '.venv',
  'venv',
  '__pycache__',
  'target',
]);

/** Where programs store credentials in a home folder. */
const IN_HOME = [
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.git-credentials',
  '.vault-token',
  '.aws/credentials',
  '.docker/config.json',
  '.kube/config',
  '.config/gh/hosts.yml',
  '.ssh/id_rsa',
  '.ssh/id_ecdsa',
  '.ssh/id_ed25519',
  '.env',
];

export type FileSecretsOptions = {
  /** Searched recursively. */
  folders: readonly string[];
  /** Excluded everywhere: this program's own records. */
  except: string;
  home: string;
  /** Whether a file is protected by its name. Its values are then secret. */
  isClosed(file: string): boolean;
  peek: Peek;
};

type Seen = { stamp: string; secrets: NamedSecret[] };
type Level = { stamp: string; files: string[]; folders: string[] };

/** Values in protected files. Each file is read when first seen and when it has changed. */
export function fileSecrets(options: FileSecretsOptions): SecretSource {
  const { folders, except, home, isClosed, peek } = options;
  const levels = new Map<string, Level>();
  const files = new Map<string, Seen>();
  let current: readonly NamedSecret[] = [];
  const fixed = [
    ...folders.flatMap(gitDirs).map((folder) => path.join(folder, 'config')),
    ...IN_HOME.map((name) => path.join(home, name)),
  ];
  let looked: { at: readonly Level[]; files: readonly string[] } = {
    at: [],
    files: [...new Set(fixed)].sort(),
  };

  function lookInto(folder: string): Level | null {
    const known = levels.get(folder);
    const found = peek.folder(folder, known?.stamp);
    if (!found) {
      levels.delete(folder);
      return null;
    }
    if (known && found.stamp === known.stamp) return known;
    const level = {
      stamp: found.stamp,
      files: found.files.map((name) => path.join(folder, name)).filter((file) => isClosed(file)),
      folders: found.folders
        .filter((name) => !PASSED_OVER.has(name))
        .map((name) => path.join(folder, name))
        .filter((inner) => inner !== except),
    };
    levels.set(folder, level);
    return level;
  }

  /** The same list as long as no folder changes. */
  function candidates(): readonly string[] {
    const at: Level[] = [];
    let level: readonly string[] = folders;
    for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
      const found = level.slice(0, MAX_FOLDERS - at.length).flatMap((folder) => lookInto(folder) ?? []);
      at.push(...found);
      level = found.flatMap((one) => one.folders);
    }
    if (at.length === looked.at.length && at.every((level, i) => level === looked.at[i])) return looked.files;
    const found = at.flatMap((level) => level.files).slice(0, MAX_FILES);
    looked = { at, files: [...new Set([...found, ...fixed])].sort() };
    return looked.files;
  }

  return () => {
    const before = looked.files;
    const now = candidates();
    const gone = now === before ? [] : [...files.keys()].filter((file) => !now.includes(file));
    let changed = gone.length > 0;
    for (const file of gone) files.delete(file);
    for (const file of now) {
      const found = peek.file(file);
      const known = files.get(file);
      if (!found || found.size > MAX_BYTES) changed = files.delete(file) || changed;
      else if (known?.stamp !== found.stamp) {
        files.set(file, { stamp: found.stamp, secrets: parseSecrets(file, peek.text(file)) });
        changed = true;
      }
    }
    if (changed) current = now.flatMap((file) => files.get(file)?.secrets ?? []);
    return current;
  };
}
