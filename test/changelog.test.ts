import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { changelogProblem } from '../scripts/changelog.mjs';

const HEAD = '# Changelog\n\nAll notable changes.\n\n';

test.each([
  ['## 1.2.3 - 2027-01-31\n', null],
  ['## 1.2.3 - 2027-01-31\n\n### Added\n\n## Unreleased\n', null],
  ['', 'CHANGELOG.md has no section for 1.2.3.'],
  [
    '## Unreleased\n\n- New.\n\n## 1.2.3 - 2027-01-31\n',
    'CHANGELOG.md begins with "Unreleased". Move its lines to "## 1.2.3 - DATE", and delete the heading.',
  ],
  [
    '## [unreleased]\n',
    'CHANGELOG.md begins with "[unreleased]". Move its lines to "## 1.2.3 - DATE", and delete the heading.',
  ],
  ['## 1.2.2 - 2027-01-31\n', 'CHANGELOG.md begins with 1.2.2, package.json has 1.2.3.'],
  ['## 1.2.3\n', '1.2.3 has no date in CHANGELOG.md. The heading is "## 1.2.3 - 2027-01-31".'],
  ['## 1.2.3 - soon\n', '1.2.3 has no date in CHANGELOG.md. The heading is "## 1.2.3 - 2027-01-31".'],
])('a release needs its own dated section on top: %j', (text, problem) => {
  expect(changelogProblem(HEAD + text, '1.2.3')).toBe(problem);
});

test('the changelog is ready for the version in package.json', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(changelogProblem(readFileSync('CHANGELOG.md', 'utf8'), version)).toBe(null);
});

test('the extension for VS Code has the version of the program', () => {
  const [ours, extension] = ['package.json', 'editors/vscode/package.json'].map(
    (file) => (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version,
  );
  expect(extension).toBe(ours);
});
