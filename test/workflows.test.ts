import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

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
