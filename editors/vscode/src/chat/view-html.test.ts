import { expect, test } from 'vitest';
import { describeProblem, type Problem } from './problem.ts';
import { chatHtml, PROBLEM_COMMANDS, problemHtml } from './view-html.ts';

const page = { source: 'https://*.vscode-cdn.net', nonce: 'n0nce' };

test('the chat can load nothing but its own script and style', () => {
  const html = chatHtml({ ...page, script: 'https://host/webview.js', style: 'https://host/webview.css' });
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1];
  expect(policy?.split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'nonce-n0nce'",
    'style-src https://*.vscode-cdn.net',
    'font-src https://*.vscode-cdn.net',
    'img-src https://*.vscode-cdn.net data: blob:',
  ]);
  expect(html.match(/<script/g)).toHaveLength(1);
  expect(html).toContain('<script type="module" nonce="n0nce" src="https://host/webview.js">');
});

test.each<Problem>([
  { type: 'untrusted' },
  { type: 'no-folder' },
  { type: 'not-found', setting: '' },
  { type: 'not-found', setting: '/opt/<b>aca' },
  { type: 'no-model' },
  { type: 'stopped', reason: '<script>alert(1)</script>' },
])('a problem is explained with commands that the page may run: $type', (problem) => {
  const { actions } = describeProblem(problem);
  expect(actions.length).toBeGreaterThan(0);
  expect(PROBLEM_COMMANDS).toEqual(expect.arrayContaining(actions.map(({ command }) => command)));
  const html = problemHtml(problem, page);
  expect(html).not.toMatch(/<script|<b>/);
  for (const { command } of actions) expect(html).toContain(`href="command:${command}"`);
});
