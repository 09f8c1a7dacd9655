import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { noLook } from '../../../../test/support/look.ts';
import type { PermissionRequest } from '../../../contract/permission.ts';
import { textOfLine } from './look.ts';
import { choicesOf, openPermission } from './permission.ts';
import { permissionBody, permissionExtent, renderPermission } from './permission-view.ts';
import { lineOf } from './text-line.ts';

const edit: PermissionRequest = {
  callId: 'c1',
  tool: 'Edit',
  operation: 'Edit src/auth.ts',
  accesses: [{ kind: 'write', target: 'src/auth.ts' }],
  because: 'edits are asked about',
  preview: {
    kind: 'diff',
    path: 'src/auth.ts',
    patch: `--- a/src/auth.ts\n+++ b/src/auth.ts\n@@ -1,20 +1,20 @@\n${Array.from({ length: 20 }, (_, i) => `-old ${i}\n+new ${i}`).join('\n')}\n`,
    added: 20,
    removed: 20,
  },
  grants: ['Edit(/src/**)'],
};

const bash: PermissionRequest = {
  callId: 'c2',
  tool: 'Bash',
  operation: 'Bash ls && rm -rf build',
  accesses: [{ kind: 'execute', target: 'ls && rm -rf build' }],
  because: 'rm deletes files',
  parts: [
    { text: 'ls', verdict: 'allow', because: 'only reads' },
    { text: 'rm -rf build', verdict: 'ask', because: 'rm deletes files' },
  ],
  sandbox: { kind: 'host', level: 'permissive', network: 'open' },
};

const drawPatch = (display: unknown) =>
  (display as { patch: string }).patch
    .trimEnd()
    .split('\n')
    .map((text) => [{ text }]);

type Size = { columns: number; rows: number };

function screen(
  request: PermissionRequest,
  size: Size,
  changed: Partial<ReturnType<typeof openPermission>> = {},
) {
  const frame = { ...size, look: noLook };
  const body = permissionBody(request, frame, drawPatch);
  const asked = { request, choices: choicesOf(request), body };
  return renderPermission({ ...openPermission(0), ...changed }, asked, frame).map(textOfLine);
}

describe('[C05] the prompt shows exactly what will happen', () => {
  test('a command line by its parts, the risky one marked with its reason, and the sandbox', () => {
    expect(screen(bash, { columns: 80, rows: 20 })).toEqual([
      'Allow: Bash ls && rm -rf build?',
      '  ls',
      '! rm -rf build   (rm deletes files)',
      '  Reason: rm deletes files',
      '! Not sandboxed: runs with your full permissions',
      'y yes, once   n no   r no, and say why   Esc stop the run',
    ]);
  });

  test('at 40x12 the question and every key are visible, and the diff scrolls', () => {
    expect(screen(edit, { columns: 40, rows: 12 })).toEqual([
      'Allow: Edit src/auth.ts?',
      '  Reason: edits are asked about',
      's and a allow: Edit(/src/**)',
      '--- a/src/auth.ts',
      '+++ b/src/auth.ts',
      '@@ -1,20 +1,20 @@',
      '-old 0',
      '+new 0',
      '-old 1',
      'lines 1-8 of 45 · ↑ ↓ PgUp PgDn',
      'y once   s session   a always   n no',
      'r no, why   Esc stop',
    ]);
  });

  test('its end is one key away', () => {
    expect(screen(edit, { columns: 40, rows: 8 }, { top: 1000 })).toEqual([
      'Allow: Edit src/auth.ts?',
      '-old 18',
      '+new 18',
      '-old 19',
      '+new 19',
      'lines 42-45 of 45 · ↑ ↓ PgUp PgDn',
      'y once   s session   a always   n no',
      'r no, why   Esc stop',
    ]);
  });

  test('a path that leads elsewhere, and a folder that is not in the title', () => {
    const request = {
      ...bash,
      parts: [],
      accesses: [...bash.accesses, { kind: 'read' as const, target: '/srv' }],
      leadsTo: [{ written: 'link/x', real: '/etc/x' }],
      sandbox: { kind: 'bubblewrap' as const, level: 'standard' as const, network: 'none' as const },
    };
    expect(screen(request, { columns: 80, rows: 20 }).slice(1, -1)).toEqual([
      '  reads /srv',
      '! link/x leads to /etc/x',
      '  Reason: rm deletes files',
      '  Sandboxed: can write only in this folder, no network',
    ]);
  });

  test('a title that does not fit is shown completely in the body', () => {
    const operation = `Bash ${'x'.repeat(100)}`;
    const request = { callId: 'c', tool: 'Bash', operation, accesses: [], because: '' };
    const shown = screen(request, { columns: 40, rows: 12 });
    expect(shown.slice(0, 2)).toEqual(['Allow: Bash', `${'x'.repeat(39)}…`]);
    expect(shown.slice(2, 6).join('')).toBe(`Bash${'x'.repeat(100)}`);
  });

  test('escape sequences are shown and not executed', () => {
    const shown = screen(
      { ...bash, operation: 'Bash \u001b[2Jls\nAllow: nothing?', because: 'a\u202eb' },
      { columns: 80, rows: 20 },
    );
    expect(shown[0]).toBe('Allow: Bash ␛[2Jls ⏎ Allow: nothing??');
    expect(shown).toContain('  Reason: a<U+202E>b');
  });
});

test('the reason is typed in place of the choices', () => {
  expect(screen(bash, { columns: 40, rows: 12 }, { reason: lineOf('use yarn') }).slice(-2)).toEqual([
    'Why not? use yarn ',
    'Enter decline   Esc back',
  ]);
});

test('for any request and screen size, it fits, and every key is visible', () => {
  const word = fc.string({ unit: 'grapheme', maxLength: 60 });
  const request = fc.record({
    operation: word,
    because: word,
    grants: fc.array(word, { maxLength: 3 }),
    text: fc.array(word, { maxLength: 20 }).map((lines) => lines.join('\n')),
  });
  const size = fc.record({
    columns: fc.integer({ min: 40, max: 120 }),
    rows: fc.integer({ min: 8, max: 30 }),
  });
  fc.assert(
    fc.property(request, size, fc.nat(50), ({ text, ...words }, { columns, rows }, top) => {
      const asked: PermissionRequest = { ...bash, ...words, preview: { kind: 'text', text } };
      const shown = screen(asked, { columns, rows }, { top });
      expect(shown.length).toBeLessThanOrEqual(rows);
      expect(shown.filter((line) => stringWidth(line) > columns)).toEqual([]);
      expect(shown[0]).toMatch(/^Allow:/);
      expect(shown.slice(-2).join(' ')).toMatch(/\by (yes, )?once.* n no.* r no, .*Esc stop/);
    }),
  );
});

test('every row of the body can be scrolled into view', () => {
  const frame = { columns: 40, rows: 10, look: noLook };
  const body = permissionBody(edit, frame, drawPatch);
  const asked = { request: edit, choices: choicesOf(edit), body };
  const extent = permissionExtent(openPermission(0), asked, frame);
  const seen = new Set<string>();
  for (let top = 0; top < extent.total; top++)
    for (const line of screen(edit, frame, { top })) seen.add(line);
  expect(body.map(textOfLine).filter((line) => !seen.has(line))).toEqual([]);
});
