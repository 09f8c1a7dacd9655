import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

type Workflow = { jobs: Record<string, { steps: { run?: string }[] }> };

const files = ['.github/workflows', 'examples/ci'].flatMap((folder) =>
  readdirSync(folder).map((name) => path.join(folder, name)),
);

test('every action is pinned to a commit, and each version to one', () => {
  const used = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/uses: (.+)/g)].map(([, action = '']) => action),
  );
  expect(used.length).toBeGreaterThan(8);
  expect(used.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  const versions = new Set(used.map((action) => action.replace(/@.* /, ' ')));
  expect(new Set(used).size).toBe(versions.size);
});

test('every job on Linux that runs tests has the programs that they need', () => {
  const { jobs } = parse(readFileSync('.github/workflows/ci.yml', 'utf8')) as Workflow;
  const tests = /^npm (test|run test:soak)$/m;
  const commands = Object.values(jobs)
    .map(({ steps }) => steps.map(({ run = '' }) => run))
    .filter((job) => job.some((run) => tests.test(run)));
  for (const job of commands) {
    const [packages, test] = [/^sudo \.ci\/packages/m, tests].map((pattern) =>
      job.findIndex((run) => pattern.test(run)),
    );
    expect(packages).toBeGreaterThan(-1);
    expect(test).toBeGreaterThan(packages ?? 0);
    expect(job[packages ?? 0]).toContain('apparmor_restrict_unprivileged_userns=0');
  }
  expect(commands).toHaveLength(2);
  expect(readFileSync('.ci/packages', 'utf8')).toMatch(/bubblewrap[\s\S]*redis-server/);
});
