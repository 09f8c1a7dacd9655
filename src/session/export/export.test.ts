import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sweep } from '../../../test/support/soak.ts';
import type { Session } from '../../contract/session.ts';
import { snapshotOf } from '../store.ts';
import { toHtml } from './html.ts';
import { toMarkdown } from './markdown.ts';

const at = '2026-01-01T00:00:00.000Z';

function sessionOf(text: string): Session {
  return {
    id: 'f00d',
    workingDirectory: '/project',
    startedAt: at,
    settings: { model: 'a/b' },
    permissions: [],
    title: text,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text },
          { type: 'image', mediaType: 'image/png', data: 'AAAA' },
        ],
        timestamp: at,
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', text },
          { type: 'text', text },
          { type: 'tool_call', id: '1', name: 'Read', input: { file_path: text } },
        ],
        provider: 'a',
        model: 'b',
        stopReason: 'tool_calls',
        timestamp: at,
      },
      {
        role: 'tool',
        callId: '1',
        name: 'Read',
        success: false,
        content: [{ type: 'text', text }],
        timestamp: at,
      },
    ],
  };
}

test('a conversation as Markdown shows roles, messages and calls', () => {
  expect(toMarkdown({ ...sessionOf('why?'), title: 'Login bug' })).toBe(
    [
      '# Login bug',
      '',
      '- Session: f00d',
      '- Folder: /project',
      `- Started: ${at}`,
      '- Model: a/b',
      '',
      '## User',
      '',
      'why?',
      '',
      '_1 image_',
      '',
      '## Assistant',
      '',
      'why?',
      '',
      '**Read**',
      '',
      '```json',
      '{\n  "file_path": "why?"\n}',
      '```',
      '',
      '### Read (failed)',
      '',
      '```',
      'why?',
      '```',
      '',
    ].join('\n'),
  );
});

test('a text full of fences cannot end its code block', () => {
  const markdown = toMarkdown(sessionOf('a\n````\nb'));
  expect(markdown).toContain('`````\na\n````\nb\n`````');
});

test('a page contains every text, and none of it as markup', () => {
  const hostile = '<script>alert(1)</script><img src=x onerror="a">\'&';
  const page = toHtml(sessionOf(hostile));
  expect(page).not.toContain('<script');
  expect(page.match(/<img/g)?.length).toBe(1);
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(page).not.toMatch(/(src|href)="(?!data:image\/png;base64,AAAA)/);
});

sweep([25, 100])('property: no text adds a tag to the page (%i runs)', (numRuns) => {
  const tags = (page: string) => page.match(/<[a-z/!][^>]*>/gi)?.length;
  const plain = tags(toHtml(sessionOf('x')));
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'binary' }), (text) => {
      expect(tags(toHtml(sessionOf(text)))).toBe(plain);
    }),
    { numRuns },
  );
});

/** What a terminal interprets: control characters except newline and tab, and bidirectional overrides. */
const OBEYED = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u;

test.each([
  ['a colour', '\u001b[31mred\u001b[0m'],
  ['a title of the window', '\u001b]0;mine\u0007'],
  ['the clipboard', '\u001b]52;c;ZWNobyBoaQ==\u001b\\'],
  ['a sequence of eight bits', '\u009b2J\u009d0;mine\u009c'],
  ['a line written over', 'rm -rf /\rls'],
  ['letters taken back', 'rm\b\bls\u007f'],
  ['the direction of text', '\u202etxt.exe\u2066'],
  ['a bell and a null', '\u0007\u0000'],
])('no format lets a terminal interpret %s', (_, text) => {
  for (const write of [toMarkdown, toHtml, snapshotOf])
    expect(OBEYED.exec(write(sessionOf(text)))).toBe(null);
});

test('property: nor any other text; as JSON it is still the same', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'binary' }), (text) => {
      const session = { ...sessionOf(text), workingDirectory: text, settings: { model: text } };
      for (const write of [toMarkdown, toHtml, snapshotOf]) expect(OBEYED.exec(write(session))).toBe(null);
      expect(JSON.parse(snapshotOf(session))).toEqual(session);
    }),
  );
});
