import { expect, test } from 'vitest';
import { promptOf } from '../../../../src/frontends/acp/prompt-content.ts';
import { excerptBlock, explainPrompt, fixPrompt, linkBlock } from './blocks.ts';

const excerpt = { path: '/project/my src/a.ts', text: 'let x = y;\n', first: 3, last: 3 };

test('an excerpt names its lines, as the agent reads them', () => {
  expect(excerptBlock({ ...excerpt, last: 5 })).toEqual({
    type: 'resource',
    resource: { uri: 'file:///project/my%20src/a.ts#L3-5', text: 'let x = y;\n', mimeType: 'text/plain' },
  });
  const { text, context } = promptOf(explainPrompt(excerpt));
  expect(text).toBe('Explain this code: /project/my src/a.ts:3');
  expect(context).toMatchObject([{ text: '\n\n/project/my src/a.ts:3:\n```\nlet x = y;\n```' }]);
});

test('a file is a link with its name', () => {
  expect(linkBlock('/project/src/a.ts')).toEqual({
    type: 'resource_link',
    uri: 'file:///project/src/a.ts',
    name: 'a.ts',
  });
  expect(linkBlock('/project/src/')).toMatchObject({ name: 'src' });
  expect(promptOf([linkBlock('/project/src/a#1.ts')]).text).toBe('/project/src/a#1.ts');
});

test('problems are listed with their lines and sources', () => {
  const problems = [
    {
      path: '/project/a.ts',
      line: 3,
      severity: 'error' as const,
      message: 'no y\nat all',
      source: 'ts 2304',
    },
    { path: '/project/a.ts', line: 4, severity: 'warning' as const, message: 'unused' },
  ];
  expect(promptOf(fixPrompt(problems, excerpt)).text).toBe(
    'Fix these problems:\n- line 3, error: no y\n  at all (ts 2304)\n- line 4, warning: unused\n\n/project/my src/a.ts:3',
  );
  expect(fixPrompt(problems.slice(0, 1), excerpt)[0]).toMatchObject({
    text: expect.stringMatching(/^Fix this problem:/),
  });
});
