import path from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { sweep } from '../../test/support/soak.ts';
import type { Access } from '../contract/permission.ts';
import { matchesAccess, parsePattern } from './pattern.ts';
import { loadGrammar } from './shell/grammar.ts';
import { suggestPattern } from './suggest.ts';

beforeAll(loadGrammar);

const cwd = '/srv/app';
const isInside = (file: string) => `${path.resolve(file)}/`.startsWith(`${cwd}/`);

function matches(pattern: string, tool: string, access: Access): boolean {
  return matchesAccess(parsePattern(pattern), { tool, access, cwd, isInside }, 'allow');
}
const runs = (target: string): Access => ({ kind: 'execute', target });

/** A group, a negation and a comment add nothing, nor does a repeated or empty command. */
function commandsOf(line: string): string[] {
  const bare = line
    .replace(/(?<=^|[\s;|&()])#.*/, '')
    .replace(/(?<=(?:^|[;|&(])\s*)!(?=[\s(]|$)/g, '')
    .replace(/(?<=(?:^|[;|&(])\s*)(?:\(([^()]*)\)|\{\s([^{}]*[;&]\s*)\})/g, ';$1$2;');
  if (bare !== line) return commandsOf(bare);
  return line.split(/[;|]+|(?<![<>])&+(?!>)/).flatMap((one) => one.replace(/\s+/g, ' ').trim() || []);
}

/** The same command, without redirects that discard output or merge streams. */
function withoutRedirects(command: string): string {
  const harmless = /(?:(?<=^|\s)\d+|&)?(?:[<>]&\s*[012]|>>?\s*\/dev\/(?:null|stdout|stderr))(?![^\s<>&])/g;
  return command.replace(harmless, ' ').replace(/\s+/g, ' ').trim();
}

describe('a suggested rule covers exactly what was shown', () => {
  const target = fc.oneof(
    fc.string({ minLength: 1, maxLength: 20 }),
    fc
      .array(
        fc.constantFrom(
          'rm',
          ' ',
          '*',
          '\\',
          "'",
          '"',
          '$x',
          '(',
          ')',
          '[a]',
          '{b,c}',
          '~',
          '!',
          ';',
          'x',
          '/',
          '..',
        ),
        {
          minLength: 1,
          maxLength: 8,
        },
      )
      .map((parts) => parts.join('')),
  );

  sweep([200, 2000])('for commands (%i runs)', (numRuns) => {
    fc.assert(
      fc.property(target, target, (seen, other) => {
        fc.pre(seen.trim() !== '');
        const pattern = suggestPattern('Bash', runs(seen), cwd);
        expect(matches(pattern, 'Bash', runs(seen))).toBe(true);
        const known = commandsOf(seen);
        const isNew = commandsOf(other).some(
          (one) => !known.includes(one) && !known.includes(withoutRedirects(one)),
        );
        if (!/['"\\]/.test(seen + other) && isNew) {
          expect(matches(pattern, 'Bash', runs(other))).toBe(false);
        }
        expect(matches(pattern, 'Bash', runs(`${seen}\nrm unseen`))).toBe(false);
      }),
      { numRuns },
    );
  });

  sweep([200, 2000])('for files (%i runs)', (numRuns) => {
    fc.assert(
      fc.property(target, target, (a, b) => {
        const [seen, other] = [`d/${a}`.trim(), `d/${b}`.trim()];
        const pattern = suggestPattern('Edit', { kind: 'write', target: seen }, cwd);
        fc.pre(
          !/^(\.\.|\/)/.test(seen) && !seen.split('/').includes('..') && !other.split('/').includes('..'),
        );
        expect(matches(pattern, 'Edit', { kind: 'write', target: seen })).toBe(true);
        const flat = (file: string) =>
          file
            .split('/')
            .filter((part) => part !== '' && part !== '.')
            .join('/');
        if (!flat(other).startsWith(flat(seen))) {
          expect(matches(pattern, 'Edit', { kind: 'write', target: other })).toBe(false);
        }
      }),
      { numRuns },
    );
  });

  test('for files whose names are white space', () => {
    const blanks = fc.stringMatching(/^[ \t\n\r\u00a0\u3000]{1,3}$/);
    fc.assert(
      fc.property(fc.constantFrom('', './', `${cwd}/`, '/etc/'), blanks, (folder, name) => {
        const access = { kind: 'read' as const, target: `${folder}${name}` };
        const pattern = suggestPattern('Read', access, cwd);
        expect(matches(pattern, 'Read', access)).toBe(true);
        expect(matches(pattern, 'Read', { kind: 'read', target: `${folder}${name}x` })).toBe(false);
      }),
    );
  });

  test('in words', () => {
    expect([
      suggestPattern('Bash', runs('rm *.log'), cwd),
      suggestPattern('Write', { kind: 'write', target: '/srv/app/docs/a.md' }, cwd),
      suggestPattern('Read', { kind: 'read', target: '/etc/hosts' }, cwd),
      suggestPattern('Write', { kind: 'write', target: '~odd' }, cwd),
      suggestPattern('Read', { kind: 'read', target: '/srv/app/ ' }, cwd),
      suggestPattern('github:list', runs('github:list'), cwd),
      suggestPattern('WebFetch', { kind: 'fetch', target: 'https://a.org/x' }, cwd),
    ]).toEqual([
      'Bash(rm \\*.log)',
      'Edit(docs/a.md)',
      'Read(/etc/hosts)',
      'Edit(./~odd)',
      'Read(./ )',
      'mcp:github:list',
      'WebFetch(https://a.org/x)',
    ]);
  });
});
