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
  /** Called with a sentence about what is beyond the limits, when that changes. */
  onLimit?(text: string): void;
};

/** What was found and not read, because there is too much of it. */
type Unread = { folders: number; files: readonly string[] };

type Seen = { stamp: string; secrets: NamedSecret[] };
type Level = { stamp: string; files: string[]; folders: string[] };

/** Values in protected files. Each file is read when first seen and when it has changed. */
export function fileSecrets(options: FileSecretsOptions): SecretSource {
  const { folders, except, home, isClosed, peek, onLimit } = options;
  const levels = new Map<string, Level>();
  const files = new Map<string, Seen>();
  let current: readonly NamedSecret[] = [];
  const fixed = [
    ...folders.flatMap(gitDirs).map((folder) => path.join(folder, 'config')),
    ...IN_HOME.map((name) => path.join(home, name)),
  ];
  let looked: { at: readonly Level[]; files: readonly string[]; unread: Unread } = {
    at: [],
    files: [...new Set(fixed)].sort(),
    unread: { folders: 0, files: [] },
  };
  let reported = '';

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
    let beyond = 0;
    for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
      const room = MAX_FOLDERS - at.length;
      const found = level.slice(0, room).flatMap((folder) => lookInto(folder) ?? []);
      beyond += Math.max(0, level.length - room);
      at.push(...found);
      level = found.flatMap((one) => one.folders);
    }
    if (at.length === looked.at.length && at.every((level, i) => level === looked.at[i])) return looked.files;
    const found = at.flatMap((one) => one.files);
    const files = [...new Set([...found.slice(0, MAX_FILES), ...fixed])].sort();
    looked = { at, files, unread: { folders: beyond + level.length, files: found.slice(MAX_FILES) } };
    return looked.files;
  }

  function report(large: readonly string[]): void {
    const { unread } = looked;
    const text = limitText({ folders: unread.folders, files: [...unread.files, ...large] });
    if (text !== null && text !== reported) onLimit?.(text);
    reported = text ?? '';
  }

  return () => {
    const before = looked.files;
    const now = candidates();
    const gone = now === before ? [] : [...files.keys()].filter((file) => !now.includes(file));
    const large: string[] = [];
    let changed = gone.length > 0;
    for (const file of gone) files.delete(file);
    for (const file of now) {
      const found = peek.file(file);
      const known = files.get(file);
      if (found && found.size > MAX_BYTES) large.push(file);
      if (!found || found.size > MAX_BYTES) changed = files.delete(file) || changed;
      else if (known?.stamp !== found.stamp) {
        files.set(file, { stamp: found.stamp, secrets: parseSecrets(file, peek.text(file)) });
        changed = true;
      }
    }
    report(large);
    if (changed) current = now.flatMap((file) => files.get(file)?.secrets ?? []);
    return current;
  };
}

const MAX_NAMED = 3;

function limitText({ folders, files }: Unread): string | null {
  if (folders === 0 && files.length === 0) return null;
  const more = files.length - MAX_NAMED;
  const named = [...files.slice(0, MAX_NAMED), ...(more > 0 ? [`${more} more secret files`] : [])];
  const rest = folders > 0 ? [`${folders} or more folders`] : [];
  return (
    `Too much to read for the secret firewall: ${[...named, ...rest].join(', ')}. Values of secret files there are not ` +
    'replaced in requests. The files stay closed to tools, and to commands in the sandbox.'
  );
}
