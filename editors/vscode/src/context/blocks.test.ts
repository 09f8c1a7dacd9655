import { expect, test } from 'vitest';
import { promptOf } from '../../../../src/frontends/acp/prompt-content.ts';
import { excerptBlock, explainPrompt, fixPrompt, linkBlock } from './blocks.ts';

const excerpt = { path: '/work/my src/a.ts', text: 'let x = y;\n', first: 3, last: 3 };

test('an excerpt names its lines, as the agent reads them', () => {
  expect(excerptBlock({ ...excerpt, last: 5 })).toEqual({
    type: 'resource',
    resource: { uri: 'file:///work/my%20src/a.ts#L3-5', text: 'let x = y;\n', mimeType: 'text/plain' },
  });
  expect(promptOf(explainPrompt(excerpt)).text).toBe(
    'Explain this code: /work/my src/a.ts:3\n\n/work/my src/a.ts:3:\n```\nlet x = y;\n```',
  );
});

test('a file is a link with its name', () => {
  expect(linkBlock('/work/src/a.ts')).toEqual({
    type: 'resource_link',
    uri: 'file:///work/src/a.ts',
    name: 'a.ts',
  });
  expect(linkBlock('/work/src/')).toMatchObject({ name: 'src' });
  expect(promptOf([linkBlock('/work/src/a#1.ts')]).text).toBe('/work/src/a#1.ts');
});

test('problems are listed with their lines and sources', () => {
  const problems = [
    { path: '/work/a.ts', line: 3, severity: 'error' as const, message: 'no y\nat all', source: 'ts 2304' },
    { path: '/work/a.ts', line: 4, severity: 'warning' as const, message: 'unused' },
  ];
  expect(promptOf(fixPrompt(problems, excerpt)).text).toMatch(
    /^Fix these problems:\n- line 3, error: no y\n {2}at all \(ts 2304\)\n- line 4, warning: unused\n\n\/work\/my src\/a\.ts:3\n/,
  );
  expect(fixPrompt(problems.slice(0, 1), excerpt)[0]).toMatchObject({
    text: expect.stringMatching(/^Fix this problem:/),
  });
});
