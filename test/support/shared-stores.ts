import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { checkForUpdate } from '../../src/app/update/notice.ts';
import { setValue } from '../../src/config/edit.ts';
import { createKeychain } from '../../src/config/keys/keychain.ts';
import { KeychainUnavailable } from '../../src/config/keys/os-keychain.ts';
import { trustFolder } from '../../src/config/trust.ts';
import { keepLook } from '../../src/frontends/terminal/early/look-file.ts';
import type { Look } from '../../src/frontends/terminal/theme/look.ts';
import { loginStore } from '../../src/mcp/login/oauth-store.ts';
import { seenTools } from '../../src/mcp/tools/seen-tools.ts';
import { newEntry } from '../../src/memory/entry.ts';
import { MemoryStore } from '../../src/memory/store.ts';
import { PromptHistory } from '../../src/session/prompt-history.ts';

/** A file changed by several processes: how one adds an item, and what is there in the end. */
type SharedStore = {
  add(root: string, item: string): unknown;
  items(root: string): string[];
};

const unavailable = () => Promise.reject(new KeychainUnavailable('none here'));
const noKeychain = { get: unavailable, set: unavailable, remove: unavailable };
const LIMIT = 4;

export const stores: Record<string, SharedStore> = {
  settings: {
    add: (root, item) => setValue(path.join(root, 'config.json'), ['aliases', item], 'a/b'),
    items: (root) => keysIn(path.join(root, 'config.json'), 'aliases'),
  },
  trust: {
    // A system folder: its owner does not matter here.
    add: (root, item) => trustFolder(root, '/', [{ name: item, file: item, text: '' }]),
    items: (root) => {
      const { folders } = jsonIn(root, 'trust.json') as { folders: { '/': { files: object } } };
      return Object.keys(folders['/'].files);
    },
  },
  keys: {
    add: (root, item) => createKeychain({ home: root, env: {}, system: noKeychain }).store(item, 'key'),
    items: (root) => keysIn(path.join(root, 'credentials.json')),
  },
  logins: {
    add: (root, item) =>
      loginStore(path.join(root, 'logins'), 'https://example.org').change((login) => ({
        ...login,
        tokens: { access_token: `${login.tokens?.access_token ?? ''} ${item}`, token_type: 'bearer' },
      })),
    items: (root) => {
      const [name = ''] = readdirSync(path.join(root, 'logins'));
      const { tokens } = jsonIn(root, 'logins', name) as { tokens: { access_token: string } };
      return tokens.access_token.trim().split(' ');
    },
  },
  'agreed tools': {
    add: (root, item) =>
      seenTools(path.join(root, 'seen.json')).agree('server', [
        { name: item, description: '', schema: {}, readOnly: true },
      ]),
    items: (root) => keysIn(path.join(root, 'seen.json'), 'server'),
  },
  notes: {
    add: (root, item) =>
      memory(root).add([{ ...newEntry(item, { date: '2026-01-01', session: null }), kind: 'user' }]),
    items: (root) =>
      memory(root)
        .list()
        .map(({ text }) => text),
  },
  looks: {
    add: (root, item) => keepLook(root, { TERM: item.split('-')[0] }, look),
    items: (root) => keysIn(path.join(root, 'cache', 'looks.json')).map((kind) => kind.split('|')[0] ?? ''),
  },
  'the daily look for an update': {
    add: (root, item) =>
      checkForUpdate(
        { root, config: { offline: false, updates: { check: true } } as never, env: {}, fromSource: false },
        async () => {
          appendFileSync(path.join(root, 'asked'), `${item}\n`);
          return () => Promise.reject(new Error('no registry'));
        },
      ),
    items: (root) => readFileSync(path.join(root, 'asked'), 'utf8').trim().split('\n'),
  },
  'typed prompts': {
    add: (root, item) => history(root).add(item),
    items: (root) => history(root).list(),
  },
};

const memory = (root: string) => new MemoryStore({ folder: path.join(root, 'memory'), project: root });

const history = (root: string) =>
  new PromptHistory({ file: path.join(root, 'history.jsonl'), limit: LIMIT, cwd: root });

const look: Look = {
  ground: 'dark',
  sign: '>',
  placeholder: '',
  muted: ['', ''],
  border: ['', ''],
  warning: ['', ''],
  mode: 'default',
  heads: {},
};

function jsonIn(...place: string[]): unknown {
  return JSON.parse(readFileSync(path.join(...place), 'utf8'));
}

/** The keys of a file, or of a table in it. */
function keysIn(file: string, table?: string): string[] {
  const value = jsonIn(file) as Record<string, object>;
  return Object.keys(table === undefined ? value : (value[table] ?? {}));
}
