import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { beforeEach, expect } from 'vitest';
import { aca, doors, parseStream } from '../support/aca.ts';
import { acaAsNobody } from '../support/as-nobody.ts';
import { calls, says } from '../support/model-server/script.ts';
import { noBubblewrap } from '../support/sandboxed.ts';
import { serve } from '../support/serve.ts';
import { sweepFor } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

beforeEach(({ skip }) => {
  if (noBubblewrap !== null) skip(noBubblewrap);
});

const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
    stdio: 'pipe',
  }).toString();

sweepFor(['the same user', 'an ordinary user'], (who) => who === 'the same user')(
  'branches and harmless config change in the sandbox without a question; what git would run is put back (%s)',
  async (who, { skip }) => {
    if (who === 'an ordinary user' && process.getuid?.() !== 0) skip('runs as an ordinary user already');
    const space = await workspace({ 'a.txt': 'a' });
    git(space.root, 'init', '-q', '-b', 'main');
    git(space.root, 'add', '-A');
    git(space.root, 'commit', '-qm', 'one');
    git(space.root, 'clone', '-q', '--bare', '.', '.git/origin');
    git(space.root, 'remote', 'add', 'origin', '.git/origin');
    git(space.root, 'fetch', '-q', 'origin');
    const work =
      'git config user.name me && git config user.email me@b && git checkout -q -b next origin/main && ' +
      'echo b > b.txt && git add b.txt && git commit -qm two && git push -q -u origin next && git branch -m next done';
    const server = await serve([
      calls(['Bash', { command: work }]),
      calls(['Bash', { command: 'git config core.fsmonitor ./evil; git config pull.rebase true' }]),
      says('done'),
    ]);
    const { model, env } = doors['openai-chat'](server.url);
    const args = ['-p', 'go', '--model', model, '--output-format', 'stream-json', '--allow', 'Bash'];
    const outcome =
      who === 'the same user' ? await aca(space, args, { env }) : await acaAsNobody(space, args, env);
    if (outcome === null) return skip('this folder is closed to ordinary users');
    const { events, report } = parseStream(outcome.stdout);
    const told = events.flatMap((event) =>
      event.type === 'message' && event.message.role === 'tool'
        ? [{ success: event.message.success, text: JSON.stringify(event.message.content) }]
        : [],
    );
    expect(told).toEqual([
      { success: true, text: expect.not.stringContaining('restored') },
      { success: true, text: expect.stringContaining('.git/config was restored: it sets core.fsmonitor') },
    ]);
    expect(report.denials).toMatchObject([{ tool: 'Bash' }]);
    const safe = ['-c', `safe.directory=${space.root}`];
    const config = git(space.root, ...safe, 'config', '--local', '--list');
    expect(config).toContain('branch.done.merge=refs/heads/next');
    expect(config).toContain('user.name=me');
    expect(config).not.toContain('fsmonitor');
    expect(git(path.join(space.root), ...safe, 'log', '--format=%s', 'done')).toBe('two\none\n');
  },
);
