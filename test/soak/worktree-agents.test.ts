// @module-tag soak
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { aca, doors } from '../support/aca.ts';
import { escapes } from '../support/escapes.ts';
import type { SeenRequest } from '../support/model-server/protocol.ts';
import { calls, says } from '../support/model-server/script.ts';
import { contentOf, gitIn, put } from '../support/repositories.ts';
import { noBubblewrap } from '../support/sandboxed.ts';
import { serve } from '../support/serve.ts';
import { rounds } from '../support/soak.ts';
import { configure, task } from '../support/subagents.ts';

const AGENTS = 20;
const TRIED = 3;

/** Not in /tmp, which the sandbox hides: here the other worktrees are in sight. */
function visibleFolder(): string {
  const cache = path.resolve('node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const base = mkdtempSync(path.join(cache, 'worktree-agents-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  return base;
}

test.skipIf(noBubblewrap !== null)(
  `${AGENTS} agents at once in worktrees of their own write nowhere else, whatever they try`,
  async () => {
    const base = visibleFolder();
    const space = { root: path.join(base, 'project'), home: path.join(base, 'home'), tree: async () => ({}) };
    put(space.root, { 'a.txt': 'alpha\n', 'src/b.txt': 'beta\n' });
    mkdirSync(space.home);
    const git = (...args: string[]) => gitIn(space.root, space.home, ...args);
    git('init', '-q', '-b', 'main');
    git('add', '-A');
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'one');
    await configure(space, { subagents: { parallel: AGENTS }, maxTurns: 100 });

    let run = 0;
    const server = await serve([(request: SeenRequest) => reply(request, run)], { loop: true });
    const { model, env } = doors['openai-chat'](server.url);
    const reply = (request: SeenRequest, now: number) => {
      const [, agent] =
        /^AGENT (\d+)/.exec(request.messages.find(({ role }) => role === 'user')?.text ?? '') ?? [];
      const turn = request.messages.filter(({ role }) => role === 'assistant').length;
      if (agent === undefined && turn > 0) return says('done');
      if (agent === undefined)
        return calls(
          ...Array.from({ length: AGENTS }, (_, i) =>
            task(`work ${i}`, `AGENT ${i}`, { isolation: 'worktree' }),
          ),
        );
      const own = `own-${now}-${agent}`;
      if (turn === 1) return calls(['Write', { file_path: `${own}.txt`, content: `${own}\n` }]);
      if (turn === 2) return says('ok');
      const all = escapes({ project: space.root, home: space.home }, own);
      const from = ((now * AGENTS + Number(agent)) * TRIED) % all.length;
      const [first = all[0], ...more] = [...all, ...all].slice(from, from + TRIED);
      return first === undefined ? says('ok') : calls(first, ...more);
    };

    const allowed = ['Bash', 'Write', 'Edit', 'Task'].flatMap((tool) => ['--allow', tool]);
    const before = contentOf(space.root, { git: true });
    for (; run < rounds(1, 50); run += 1) {
      const { code, stdout, stderr } = await aca(
        space,
        ['-p', 'go', '--model', model, '--mode', 'accept-edits', ...allowed],
        { env },
      );
      expect({ code, stdout, stderr }).toMatchObject({ code: 3, stdout: 'done\n' });
      const names = Array.from({ length: AGENTS }, (_, i) => `own-${run}-${i}`);
      const merged = Object.fromEntries(names.map((name) => [`${name}.txt`, `${name}\n`]));
      expect(contentOf(space.root, { git: true })).toEqual({ ...before, ...merged });
      const inHome = Object.keys(contentOf(space.home)).filter((name) => !name.startsWith('.ai-assistant'));
      expect(inHome).toEqual([]);
      expect(names.filter((name) => existsSync(`/tmp/${name}.txt`))).toEqual([]);
      expect(existsSync(`${space.root}.worktrees`)).toBe(false);
      for (const name of names) rmSync(path.join(space.root, `${name}.txt`));
      writeFileSync(path.join(base, 'runs'), `${run + 1}\n`);
    }
    expect(server.requests.some(({ messages }) => messages[0]?.text.startsWith('ESCAPE'))).toBe(false);
  },
  3_600_000,
);
