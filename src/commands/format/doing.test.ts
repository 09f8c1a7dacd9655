import { expect, test } from 'vitest';
import { doingText } from './doing.ts';

test.each([
  ['Bash npm test', 'Running npm test'],
  ['Read src/a.ts', 'Reading src/a.ts'],
  ['Edit a.ts, b.ts', 'Editing a.ts, b.ts'],
  ['Grep login in src', 'Searching for login in src'],
  ['Glob **/*.ts', 'Finding **/*.ts'],
  ['WebFetch https://example.org', 'Fetching https://example.org'],
  ['Explore: how login works', 'Exploring: how login works'],
  ['Task general: fix the tests', 'Waiting for general: fix the tests'],
  ['Todo 1/3: write tests', 'Updating the todos'],
  ['AskUser', 'Waiting for your answer'],
  ['github create_issue', 'github create_issue'],
  ['constructor', 'constructor'],
  ['', ''],
])('%s: %s', (title, text) => {
  expect(doingText(title)).toBe(text);
});
