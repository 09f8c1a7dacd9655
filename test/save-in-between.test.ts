import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { sha256 } from '../src/lib/sha256.ts';
import { edit } from '../src/tools/edit.ts';
import { write } from '../src/tools/write.ts';
import { bench, use } from './support/tool-context.ts';

test.each([
  ['Edit', edit, { file_path: 'a.txt', old_string: 'first', new_string: 'ours' }],
  ['Write', write, { file_path: 'a.txt', content: 'ours' }],
])('a save between reading and writing is not lost to %s', async (_, tool, input) => {
  const { root, context } = await bench({ 'a.txt': 'first' });
  const file = path.join(root, 'a.txt');
  const { files } = context;
  context.seen.set(file, sha256('first'));
  const meanwhile = {
    ...files,
    async read(name: string) {
      const content = await files.read(name);
      writeFileSync(file, 'theirs');
      return content;
    },
  };
  await expect(use(tool, input, { ...context, files: meanwhile })).rejects.toThrow(
    'changed by another program',
  );
  expect(readFileSync(file, 'utf8')).toBe('theirs');
});
