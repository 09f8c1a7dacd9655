import { accessSync, constants, existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Access } from '../../src/contract/permission.ts';
import { singleQuoted } from '../../src/lib/text/shell-quote.ts';
import { evaluate } from '../../src/permissions/evaluate.ts';
import type { Policy } from '../../src/permissions/policy.ts';
import { loadGrammar } from '../../src/permissions/shell/grammar.ts';
import { commandView } from '../../src/sandbox/confine/command-view.ts';
import { createFiles } from '../../src/sandbox/files/files.ts';
import { createGuard } from '../../src/sandbox/guard.ts';
import { FileSearch } from '../../src/sandbox/search/search.ts';
import { defaultConfinement } from '../support/confinement.ts';
import { plainPolicy } from '../support/policy.ts';
import { noBubblewrap, sandboxedShellIn } from '../support/sandboxed.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

beforeAll(loadGrammar);
beforeEach(({ skip }) => {
  if (noBubblewrap !== null) skip(noBubblewrap);
  if (visible === undefined) skip('no folder that commands see can be written to');
});

const sandbox = { kind: 'bubblewrap', level: 'standard', network: 'none' } as const;
const PROBE = 'probe-of-a-file';

/** In the home folder of the user: what builds need is open, everything else is closed. */
const inHome = [
  ...['.cargo/registry/src/serde/lib.rs', '.cargo/credentials.toml', '.cargo/config.toml'],
  ...['.rustup/toolchains/x/lib.rs', 'go/pkg/mod/x/x.go', 'go/src/mine/x.go', '.nvm/versions/x/lib.js'],
  ...['.pyenv/versions/3/lib/site-packages/click/core.py', '.local/lib/python3/site-packages/x.py'],
  ...[
    '.m2/repository/x/x.pom',
    '.m2/settings-security.xml',
    '.gradle/caches/x/x.java',
    '.gitconfig',
    '.npmrc',
  ],
  ...['.bashrc', 'notes.txt', 'other-project/src/a.ts', 'other-project/.env', '.ssh/config', '.ssh/id_rsa'],
  ...[
    '.aws/credentials',
    '.netrc',
    '.config/gh/hosts.yml',
    '.bash_history',
    '.claude.json',
    '.local/bin/tool',
  ],
  ...['.cache/pip/x', '.cache/huggingface/token', '.ai-assistant/config.json', 'opened/a.txt', 'opened/.env'],
];
/** Elsewhere on the machine. */
const elsewhere = [
  ...['lib/a.ts', 'node_modules/x/index.js', 'include/x.h', 'deep/er/file.txt', '.env.example'],
  ...['.env', 'app/.env.local', 'id_rsa', '.aws/credentials', 'config/secrets.yml', 'blocked/a.txt'],
];
const ofSystem = [
  ...['/etc/passwd', '/etc/hosts', '/etc/shadow', '/etc/ssl/openssl.cnf', '/etc/os-release', '/etc/fstab'],
  ...['/usr/include/stdio.h', '/usr/lib/os-release', '/usr/share/dict/words', '/usr/bin/env', '/bin/sh'],
  ...['/var/lib/dpkg/status', '/var/log/dpkg.log', '/etc/ssl/private/x.pem', '/root/.bashrc', '/root/x'],
  ...['/usr/share/perl5/strict.pm', '/usr/include/../include/stdio.h', '/run/utmp'],
];

type Machine = Workspace & { base: string; paths: string[] };

/** Where commands see the files of this machine: they have temporary folders of their own. */
const visible = [path.join(import.meta.dirname, '../../node_modules'), '/srv', '/opt'].find(
  (folder) => !/^\/(tmp|var\/tmp|run)\//.test(folder) && isWritable(folder),
);

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** A project, its home folder, files of others, and links between them. */
async function machine(): Promise<Machine> {
  const space = await workspace({ 'a.ts': PROBE, '.env': PROBE });
  const base = await realpath(await mkdtemp(path.join(visible ?? '', '.probe-')));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const home = inHome.map((name) => path.join(space.home, name));
  const others = elsewhere.map((name) => path.join(base, name));
  const shared = path.join(path.dirname(space.root), 'shared.txt');
  for (const file of [...home, ...others, shared]) {
    await mkdir(path.dirname(file), { recursive: true });
    // A file with options alone is open to npm.
    await writeFile(file, file.endsWith('.npmrc') ? '//registry/:_authToken=x' : PROBE);
  }
  const links = [...home, ...others, '/etc/passwd'].map((target, i) => ({
    target,
    link: path.join(space.root, `link-${i}`),
  }));
  for (const { target, link } of links) await symlink(target, link);
  const system = ofSystem.filter((file) => existsSync(file));
  return {
    ...space,
    base,
    paths: [...home, ...others, shared, ...system, ...links.map(({ link }) => link)],
  };
}

function assistantIn(space: Pick<Workspace, 'root' | 'home'>, policy: Partial<Policy> = {}) {
  const { root: cwd, home } = space;
  const readablePaths = [path.join(home, 'opened')];
  const lists = { additionalDirectories: [], blockedPaths: ['blocked'], allowedPaths: [] };
  const { dataRoot } = defaultConfinement(home);
  const view = () =>
    commandView({
      ...{ cwd, home, dataRoot, readablePaths, writablePaths: [], ...lists },
      env: { PATH: process.env.PATH ?? '', HOME: home },
    });
  const guard = createGuard({ cwd, home, ...lists, closedDirectories: [dataRoot], commandView: view });
  const rules: Policy = {
    ...plainPolicy(cwd),
    sandbox,
    mode: 'auto',
    isInside: guard.isInside,
    realOf: guard.realOf,
    reach: guard.reach,
    isShown: guard.isShown,
    ...policy,
  };
  const judge = (accesses: Access[], tool: string) => evaluate({ tool, accesses, input: {} }, rules);
  return {
    guard,
    readablePaths,
    judge,
    judgeRead: (target: string) => judge([{ kind: 'read', target }], 'Read'),
    judgeCat: (file: string) => judge([{ kind: 'execute', target: `cat ${singleQuoted(file)}` }], 'Bash'),
  };
}

type Assistant = ReturnType<typeof assistantIn>;

/** What Read gives without asking. */
async function readUnasked({ guard, judgeRead }: Assistant, cwd: string, file: string): Promise<string> {
  const { verdict, opens = [] } = judgeRead(file);
  if (verdict !== 'allow') return '';
  const files = createFiles({ guard: guard.forCall({ opens, writes: [] }), cwd });
  return files.read(file, { most: 10_000_000 }).then(
    ({ bytes }) =>
      Buffer.from(bytes)
        .toString('latin1')
        .slice(0, 100)
        .replaceAll(/[\0\n]/g, ''),
    () => '',
  );
}

test('Read gives unasked what cat in the sandbox prints unasked, for files anywhere on the machine', async () => {
  const space = await machine();
  const assistant = assistantIn(space);
  const { run } = sandboxedShellIn(space, { readablePaths: assistant.readablePaths });
  const { stdout } = await run(
    'while read -r f; do echo "$(head -c 100 "$f" 2>/dev/null | tr -d "\\0\\n" | base64 -w0)"; done',
    { input: `${space.paths.join('\n')}\n` },
  );
  const printed = stdout.split('\n').map((line) => Buffer.from(line, 'base64').toString('latin1'));
  const different: string[] = [];
  let read = 0;
  for (const [i, file] of space.paths.entries()) {
    const byCat = assistant.judgeCat(file).verdict === 'allow' ? printed[i] : '';
    const byRead = await readUnasked(assistant, space.root, file);
    if (byCat !== byRead) different.push(`${file}: cat ${byCat}, Read ${byRead}`);
    if (byRead !== '') read++;
  }
  expect(different).toEqual([]);
  expect(read).toBeGreaterThan(20);
});

test.each<[string, Partial<Policy>, boolean]>([
  ['auto mode', {}, true],
  ['accept-edits mode', { mode: 'accept-edits' }, true],
  ['plan mode', { mode: 'plan', sandbox: { ...sandbox, level: 'strict' } }, true],
  ['read-only mode', { mode: 'read-only', sandbox: { ...sandbox, level: 'strict' } }, true],
  ['a trusted folder', { mode: 'default', trusted: true, sandboxAutoApprove: true }, true],
  ['a folder that is not trusted', { mode: 'default' }, false],
  ['allowed hosts', { sandbox: { ...sandbox, network: 'listed' } }, true],
  ['an open network', { sandbox: { ...sandbox, network: 'open' } }, false],
  ['no sandbox', { sandbox: { kind: 'host', level: 'standard', network: 'open' } }, false],
  ['a container', { sandbox: { ...sandbox, kind: 'docker' } }, false],
  ['a sandbox that was not tested yet', { sandbox: null }, false],
  ['approval for reads', { requireApprovalForReads: true }, false],
  ['a deny rule for reading', { rules: { allow: [], ask: [], deny: ['Read(private/**)'] } }, false],
])('with %s, a file outside the project is read like by cat', async (_, policy, isFree) => {
  const space = await machine();
  const { judgeRead, judgeCat } = assistantIn(space, policy);
  const open = path.join(space.base, 'lib/a.ts');
  expect(judgeRead(open).verdict === 'allow').toBe(isFree);
  // A container has files of its own under these names.
  if (policy.sandbox?.kind !== 'docker') expect(judgeCat(open).verdict === 'allow').toBe(isFree);
  const closed = [path.join(space.base, '.env'), path.join(space.home, 'notes.txt')];
  expect(closed.filter((file) => judgeRead(file).verdict === 'allow')).toEqual([]);
});

test.each(['ask', 'deny'] as const)('a rule in %s comes before what the sandbox shows', async (list) => {
  const space = await machine();
  const rule = `Read(/${space.base}/lib/**)`;
  const rules = { allow: [], ask: [], deny: [], [list]: [rule] };
  const { judgeRead } = assistantIn(space, { rules });
  expect(judgeRead(path.join(space.base, 'lib/a.ts')).verdict).not.toBe('allow');
});

test('a search outside the project finds what the sandbox shows', async () => {
  const { base } = await machine();
  const home = path.join(base, 'users/me');
  const root = path.join(home, 'project');
  await mkdir(root, { recursive: true });
  for (const name of ['notes.txt', '.cargo/registry/a.rs']) {
    await mkdir(path.dirname(path.join(home, name)), { recursive: true });
    await writeFile(path.join(home, name), PROBE);
  }
  const { guard, judge } = assistantIn({ root, home });
  const { verdict, opens = [] } = judge([{ kind: 'read', target: base }], 'Grep');
  expect(verdict).toBe('allow');
  const search = new FileSearch({ guard: guard.forCall({ opens, writes: [] }), cwd: root });
  const { signal } = new AbortController();
  const { lines } = await search.grep(
    { pattern: PROBE, path: base, mode: 'files', everything: true },
    { limit: 100, signal },
  );
  const found = lines.map((line) => path.relative(base, path.resolve(root, line))).sort();
  expect(found).toEqual([
    ...['.env.example', 'deep/er/file.txt', 'include/x.h', 'lib/a.ts', 'node_modules/x/index.js'],
    'users/me/.cargo/registry/a.rs',
  ]);
  expect(judge([{ kind: 'read', target: home }], 'List').verdict).toBe('deny');
});
