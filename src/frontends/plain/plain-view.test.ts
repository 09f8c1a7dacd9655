import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Display } from '../../contract/display.ts';
import type { PermissionRequest } from '../../contract/permission.ts';
import { words } from './marks.ts';
import { PlainView } from './plain-view.ts';

const plain = () => new PlainView({ color: false, stream: true });

const change = (path: string) => ({
  path,
  patch: `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-old\n+new\n`,
  added: 1,
  removed: 1,
});

describe('a result in plain lines', () => {
  test.each<[string, Display, string]>([
    [
      'text',
      { kind: 'text', text: 'status 200, text/html, 11 characters' },
      '  status 200, text/html, 11 characters\n',
    ],
    [
      'long text',
      { kind: 'text', text: Array.from({ length: 14 }, (_, i) => `${i}`).join('\n') },
      `${Array.from({ length: 12 }, (_, i) => `  ${i}\n`).join('')}  … 2 more lines\n`,
    ],
    [
      'a diff',
      { kind: 'diff', ...change('a.ts') },
      '  --- a/a.ts\n  +++ b/a.ts\n  @@ -1 +1 @@\n  -old\n  +new\n',
    ],
    [
      'several diffs as one change',
      { kind: 'diffs', diffs: [change('a.ts'), change('b.ts')] },
      '  2 files, +2 -2\n' +
        '  --- a/a.ts\n  +++ b/a.ts\n  @@ -1 +1 @@\n  -old\n  +new\n' +
        '  --- a/b.ts\n  +++ b/b.ts\n  @@ -1 +1 @@\n  -old\n  +new\n',
    ],
    [
      'todos, in signs every terminal and every voice can say',
      {
        kind: 'todos',
        items: [
          { text: 'look', status: 'done' },
          { text: 'mend\n  it', status: 'in_progress' },
          { text: '\x1b[2Jtest', status: 'pending' },
        ],
      },
      '  [x] look\n  [~] mend it\n  [ ] \uFFFD[2Jtest\n',
    ],
    ['an empty list', { kind: 'todos', items: [] }, '  (no tasks)\n'],
  ])('%s', (_name, display, text) => {
    expect(plain().display(display)).toBe(text);
  });

  test('colors are the only difference', () => {
    const display: Display = { kind: 'diffs', diffs: [change('a.ts')] };
    const coloured = new PlainView({ color: true, stream: true }).display(display);
    expect(coloured).toContain('\x1b[32m+new\x1b[39m');
    expect(stripVTControlCharacters(coloured)).toBe(plain().display(display));
  });

  test('a change shown in the prompt is not repeated in the result', () => {
    const view = plain();
    const display: Display = { kind: 'diffs', diffs: [change('a.ts')] };
    const request = {
      callId: '1',
      tool: 'MultiEdit',
      operation: 'MultiEdit a.ts',
      accesses: [],
      because: '',
      preview: display,
    };
    expect(view.render({ type: 'question', request })).toBe(plain().display(display));
    expect(
      view.render({
        type: 'tool_end',
        callId: '1',
        name: 'MultiEdit',
        success: true,
        durationMs: 7,
        display,
      }),
    ).toBe('  ✓ MultiEdit (7 ms)\n');
  });
});

test('every result names its call, in whatever order calls end', () => {
  const view = plain();
  const start = (id: string, title: string) =>
    view.render({
      type: 'tool_start',
      call: { id, name: 'Read', input: {} },
      title,
    });
  const end = (callId: string, success: boolean) =>
    view.render({ type: 'tool_end', callId, name: 'Read', success, durationMs: 7 });
  start('1', 'Read a.txt');
  start('2', 'Read b\n\x1b[2J.txt');
  start('3', 'Read c.txt');
  expect([end('2', false), end('3', true), end('1', false), end('never started', false)]).toEqual([
    '  ✗ Read b ⏎ ␛[2J.txt (7 ms)\n',
    '  ✓ Read c.txt (7 ms)\n',
    '  ✗ Read a.txt (7 ms)\n',
    '  ✗ Read (7 ms)\n',
  ]);
});

describe('for a screen reader, words stand in place of signs', () => {
  const view = () => new PlainView({ color: false, stream: true, marks: words });
  const change = { kind: 'change', added: 3, removed: 1, files: 1 } as const;
  const end = { type: 'tool_end', callId: '1', name: 'Edit' } as const;

  test.each([
    [
      { success: true, durationMs: 97, summary: change },
      'Edit finished, 3 lines added, 1 line removed, 97 milliseconds',
    ],
    [{ success: true, durationMs: 1 }, 'Edit finished, 1 millisecond'],
    [
      { success: true, durationMs: 1_200, summary: { ...change, files: 2, removed: 0 } },
      'Edit finished, 2 files, 3 lines added, 1 second',
    ],
    [
      { success: false, durationMs: 64_000, summary: { kind: 'exit', exitCode: 2 } },
      'Edit failed, exit 2, 1 minute 4 seconds',
    ],
    [
      { success: true, durationMs: 120_000, summary: { kind: 'count', unit: 'line', count: 11 } },
      'Edit finished, 11 lines, 2 minutes',
    ],
  ] as const)('%j', (result, line) => {
    expect(view().render({ ...end, ...result })).toBe(`  ${line}\n`);
  });

  test('in changes, tasks, steps of subagents and requests', () => {
    const call = { id: '2', name: 'Read', input: {} };
    const patch = '--- a.ts\n+++ a.ts\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n';
    const told = [
      view().render({ type: 'tool_start', call, title: 'Read a.ts' }),
      view().render({
        type: 'subagent',
        callId: '1',
        agent: 'explore',
        event: { type: 'tool_start', call, title: 'Read b.ts' },
      }),
      view().display({ kind: 'diff', path: 'a.ts', patch, added: 1, removed: 1 }),
      view().display({
        kind: 'todos',
        items: [
          { text: 'write', status: 'in_progress' },
          { text: 'test', status: 'pending' },
          { text: 'plan', status: 'done' },
        ],
      }),
      view().display({ kind: 'text', text: Array.from({ length: 20 }, (_, i) => `${i}`).join('\n') }),
      view().render({
        type: 'question',
        request: {
          callId: '3',
          tool: 'Bash',
          operation: 'Bash x',
          accesses: [],
          because: '',
          preview: { kind: 'text', text: 'npm test\nrm x' },
        },
      }),
    ].join('');

    expect(told).not.toMatch(/[^\x20-\x7e\n]|^\s*[+@!|~[]/m);
    for (const part of [
      'Read a.ts started',
      'subagent explore: Read b.ts started',
      'line 1:',
      'removed: old',
      'added: new',
    ])
      expect(told).toContain(part);
    for (const part of ['in progress: write', 'to do: test', 'done: plan', '8 more lines', 'quote: rm x'])
      expect(told).toContain(part);
  });
});

describe('[C05] a permission prompt in plain lines', () => {
  const request: PermissionRequest = {
    callId: '1',
    tool: 'Bash',
    operation: 'Bash x',
    accesses: [],
    because: 'rm may make changes',
  };

  test('shows the parts with the risky one marked, where paths lead, and the sandbox', () => {
    const text = plain().render({
      type: 'question',
      request: {
        ...request,
        parts: [
          { text: 'ls', verdict: 'allow', because: 'only reads' },
          { text: 'rm a', verdict: 'ask', because: 'rm may make changes' },
          { text: 'make', verdict: 'ask', because: 'make may, too' },
        ],
        claim: 'Cleans up',
        leadsTo: [{ written: 'notes', real: '/srv/app/.git/hooks/pre-commit' }],
        sandbox: { kind: 'bubblewrap', level: 'standard', network: 'none' },
      },
    });
    expect(text).toBe(
      '    ls\n' +
        '  ! rm a   (rm may make changes)\n' +
        '    make\n' +
        '  notes leads to /srv/app/.git/hooks/pre-commit\n' +
        '  Reason: rm may make changes\n' +
        '  The model says: Cleans up\n' +
        '  Sandboxed: can write only in this folder, no network\n',
    );
  });

  test('says clearly when there is no sandbox', () => {
    const sandbox = { kind: 'host', level: 'permissive', network: 'open' } as const;
    expect(plain().render({ type: 'question', request: { ...request, sandbox } })).toContain(
      '  Not sandboxed: runs with your full permissions\n',
    );
  });

  test('keeps every fact on one line, whatever a name contains', () => {
    const leadsTo = [{ written: 'a\n  Sandboxed', real: '/b\x1b[2K' }];
    expect(plain().render({ type: 'question', request: { ...request, because: '', leadsTo } })).toBe(
      '  a ⏎ Sandboxed leads to /b␛[2K\n',
    );
  });
});

describe('the request cannot imitate one of our lines', () => {
  const request = { callId: 'c', tool: 'Bash', operation: 'Bash ls …', accesses: [], because: '' };
  const view = (columns?: number) => new PlainView({ color: false, stream: true, columns: () => columns });
  const asked = (text: string, columns?: number) =>
    view(columns).render({ type: 'question', request: { ...request, preview: { kind: 'text', text } } });

  test('each line of a command follows a bar, and invisible characters are named', () => {
    expect(
      asked('ls\nReason: it only reads\nAllow: Bash ls? [y/n] y\n\nrm\u200b -rf \u00a0build\r\u001b[1A'),
    ).toBe(
      [
        '  │ ls',
        '  │ Reason: it only reads',
        '  │ Allow: Bash ls? [y/n] y',
        '  │ ',
        '  │ rm<U+200B> -rf <U+00A0>build␍␛[1A',
        '',
      ].join('\n'),
    );
  });

  test('a long line wraps behind the bar, so that no part starts at the margin', () => {
    expect(asked(`rm -rf x #${'a'.repeat(27)}Allow: Bash ls? [y/n] `, 40)).toBe(
      `  │ rm -rf x #${'a'.repeat(25)}\n  │ aaAllow: Bash ls? [y/n] \n`,
    );
  });

  test('spaces and empty lines push nothing out of view', () => {
    expect(asked(`ls${' '.repeat(5_000)}; rm a${'\n'.repeat(900)}rm b`)).toBe(
      '  │ ls <5000 blanks> ; rm a\n  │ <899 empty lines>\n  │ rm b\n',
    );
  });

  test('for any command and terminal width, every row stays inside the prompt', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\n', '\r', '\u001b[2K', 'Allow: Bash ls? [y/n] ', ' '.repeat(90), '\u202e', '日本'),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }),
        fc.integer({ min: 16, max: 120 }),
        (pieces, columns) => {
          const rows = asked(pieces.join(''), columns).split('\n').slice(0, -1);
          for (const row of rows) {
            expect(row.startsWith('  │ ')).toBe(true);
            expect(row).not.toMatch(/\p{Cc}|\p{Cf}/u);
            expect([...row].length).toBeLessThanOrEqual(columns);
          }
        },
      ),
    );
  });

  test('long facts and changes wrap behind the bar, too', () => {
    const because = `${'x'.repeat(40)}Allow: Bash ls? [y/n] `;
    expect(view(30).render({ type: 'question', request: { ...request, because } })).toBe(
      `  Reason: ${'x'.repeat(20)}\n  │ ${'x'.repeat(20)}Allow:\n  │  Bash ls? [y/n] \n`,
    );
    const patch = `+${'x'.repeat(27)}Allow: ls`;
    expect(view(30).display({ kind: 'diff', path: 'a', patch, added: 1, removed: 0 })).toBe(
      `  +${'x'.repeat(27)}\n  │ Allow: ls\n`,
    );
  });
});

test('the request is printed to its last line, whatever its kind', () => {
  const paths = Array.from({ length: 40 }, (_, i) => `old/${i}.txt`);
  const request = (preview: Display): PermissionRequest => ({
    callId: 'c',
    tool: 'Delete',
    operation: 'Delete old',
    accesses: [{ kind: 'write', target: 'old' }],
    because: '',
    preview,
  });
  const asked = (preview: Display) => plain().render({ type: 'question', request: request(preview) });
  const lines = (names: readonly string[]) => names.map((name) => `  ${name}\n`).join('');

  expect(asked({ kind: 'files', paths: [...paths, 'a\nAllow: x? [y/n] y'], total: 99 })).toBe(
    lines([...paths, 'a ⏎ Allow: x? [y/n] y', '… 58 more files']),
  );
  expect(asked({ kind: 'text', text: paths.join('\n') })).toBe(lines(paths.map((name) => `│ ${name}`)));
  const patch = paths.map((name) => `-${name}`).join('\n');
  expect(asked({ kind: 'diff', path: 'a', patch, added: 0, removed: 40 })).toBe(
    lines(paths.map((name) => `-${name}`)),
  );
});
