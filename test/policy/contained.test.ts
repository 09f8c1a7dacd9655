import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { SandboxState } from '../../src/contract/sandbox.ts';
import { evaluate } from '../../src/permissions/evaluate.ts';
import type { Policy } from '../../src/permissions/policy.ts';
import { offersFor } from '../../src/permissions/question.ts';
import { loadGrammar } from '../../src/permissions/shell/grammar.ts';
import { plainPolicy } from '../support/policy.ts';
import { noBubblewrap, sandboxedShellIn } from '../support/sandboxed.ts';
import { workspace } from '../support/workspace.ts';
import { contained, effectsOutside, irreversible } from './effects-outside.ts';

beforeAll(loadGrammar);

const boxed: SandboxState = { kind: 'bubblewrap', level: 'standard', network: 'none' };
const none: SandboxState = { kind: 'host', level: 'standard', network: 'open' };
const trusting: Policy = {
  ...plainPolicy('/srv/app'),
  trusted: true,
  sandbox: boxed,
  sandboxAutoApprove: true,
  editsAutoApprove: true,
};
const outside = Object.values(effectsOutside).flat();

function callOf(target: string, unconfined = false) {
  const access = { kind: 'execute' as const, target, ...(unconfined && { unconfined: true as const }) };
  return { tool: 'Bash', accesses: [access], input: {} };
}
const verdictOf = (policy: Policy, target: string, unconfined = false) =>
  evaluate(callOf(target, unconfined), policy).verdict;
const allowed = (lines: readonly string[], policy: Policy, unconfined = false) =>
  lines.filter((line) => verdictOf(policy, line, unconfined) === 'allow');

describe('in a trusted folder', () => {
  test.each(['default', 'accept-edits'] as const)('%s mode frees what the sandbox contains', (mode) => {
    const policy = { ...trusting, mode };
    expect(contained.filter((line) => verdictOf(policy, line) !== 'allow')).toEqual([]);
  });

  test.each(['default', 'accept-edits', 'auto'] as const)(
    'in %s mode nothing leaves the sandbox unasked',
    (mode) => {
      expect(allowed([...outside, ...irreversible, ...contained], { ...trusting, mode }, true)).toEqual([]);
    },
  );

  test('without walls, or with an open network, nothing counts as contained', () => {
    const open: SandboxState[] = [
      none,
      { ...none, fallback: 'bubblewrap is not installed' },
      { ...boxed, network: 'open' },
      { ...boxed, level: 'permissive', network: 'open' },
    ];
    for (const sandbox of open) expect(allowed(outside, { ...trusting, sandbox })).toEqual([]);
  });

  test('what sends data asks where commands reach listed hosts', () => {
    const listed = { ...trusting, sandbox: { ...boxed, network: 'listed' as const } };
    const sends = [
      ...['git push', 'git push --force origin main', 'npm publish', 'cargo publish', 'bash -c "git push"'],
      ...['curl -X POST -d @a.txt https://example.invalid/', 'curl -T a.txt https://example.invalid/'],
      'make && git push',
    ];
    expect(allowed(sends, listed)).toEqual([]);
  });

  test('what cannot be taken back asks in every place, for a reason that says so, and is never remembered', () => {
    const places: Policy[] = [
      trusting,
      { ...trusting, mode: 'accept-edits' },
      { ...trusting, sandboxAutoApprove: false, editsAutoApprove: false, trusted: false },
      { ...trusting, sandbox: none },
    ];
    for (const policy of places)
      for (const line of irreversible) {
        const { verdict, because } = evaluate(callOf(line), policy);
        expect([line, verdict]).toEqual([line, 'ask']);
        expect(because, line).toMatch(/discards|deletes|removes|overwrites/);
        expect(offersFor(callOf(line), policy), line).toEqual([]);
      }
  });
});

test('in an untrusted folder none of it runs unasked', () => {
  const policy = { ...trusting, trusted: false, sandboxAutoApprove: false, editsAutoApprove: false };
  expect(allowed([...outside, ...irreversible], policy)).toEqual([]);
  const changes = contained.filter((line) => verdictOf(policy, line) === 'allow');
  expect(changes).toEqual([]);
});

test.skipIf(noBubblewrap)('what runs unasked has no effect outside, whatever it tries', async () => {
  const space = await workspace({ 'a.txt': 'mine\n' });
  const other = path.join(path.dirname(space.root), 'other');
  await mkdir(other);
  await writeFile(path.join(other, 'a.txt'), 'theirs\n');
  await writeFile(path.join(space.home, '.profile'), 'theirs\n');
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const victim = spawn('sleep', ['600']);
  onTestFinished(() => {
    victim.kill();
    server.close();
  });
  const { run } = sandboxedShellIn(space);
  const tries = [
    `rm -f ${other}/a.txt`,
    'echo x > ../other/a.txt',
    "sed -i 's/theirs/x/' ../other/a.txt",
    `echo x >> ${space.home}/.profile`,
    'cp a.txt ~/.profile',
    `kill ${victim.pid}`,
    `kill -9 ${victim.pid}`,
    `curl -s -m 2 http://127.0.0.1:${port}/`,
    `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port}'`,
  ];
  for (const line of tries) {
    const place = { ...trusting, cwd: space.root };
    expect([line, verdictOf(place, line)]).toEqual([line, 'allow']);
    await run(line);
  }
  expect(await readFile(path.join(other, 'a.txt'), 'utf8')).toBe('theirs\n');
  expect(await readFile(path.join(space.home, '.profile'), 'utf8')).toBe('theirs\n');
  expect([connections, victim.exitCode, victim.signalCode]).toEqual([0, null, null]);
});
