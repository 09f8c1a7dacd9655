import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expandCommand, parseCommand, quoted, splitWords } from './custom-command.ts';

const parse = (path: string, text: string) => parseCommand({ path, file: `/c/${path}`, text }, 'user');

async function expand(body: string, typed = '', files: Record<string, string> = {}) {
  const ran: string[] = [];
  const text = await expandCommand(body, typed, {
    async run(command) {
      ran.push(command);
      return `<${command}>`;
    },
    read: async (file) => (Object.hasOwn(files, file) ? (files[file] ?? null) : null),
  });
  return { text, ran };
}

describe('a file', () => {
  test('states its name, description, model and tools', () => {
    const text =
      '---\ndescription: Fix it\nargument-hint: "[issue]"\nmodel: haiku\ntools: [Read, "Bash(git *)"]\nallowed-tools: Write\n---\n\nFix $1.\n';
    expect(parse('git/Fix-it.md', text)).toEqual({
      name: 'git:fix-it',
      description: 'Fix it [issue] (user)',
      source: 'user',
      file: '/c/git/Fix-it.md',
      body: 'Fix $1.',
      model: 'haiku',
      tools: ['Read', 'Bash(git *)'],
    });
    expect(parse('a.md', '# Do this\nand that')?.description).toBe('Do this (user)');
  });

  test.each(['1.md', 'a b.md', '-x.md', 'ä.md'])('%s is not a valid name', (path) => {
    expect(parse(path, 'x')).toBeNull();
  });
});

describe('expanding', () => {
  test('arguments are inserted, missing ones are empty, and unused ones are appended', async () => {
    expect((await expand('$1 and $2, $ARGUMENTS, $10 $ARGUMENTSX', '"a b" c')).text).toBe(
      'a b and c, "a b" c, $10 $ARGUMENTSX',
    );
    expect((await expand('$1|$2|', 'x')).text).toBe('x||');
    expect((await expand('Do it.', 'now please')).text).toBe('Do it.\n\nnow please');
    expect((await expand('costs $5', '')).text).toBe('costs');
  });

  test('commands are replaced by their output, inline and on their own line; code blocks stay', async () => {
    const body = 'A !`git log -1` b\n!ls src\n![image](x)\nWow!\n```\n!`rm x` @a.ts\n!ls\n```\nend';
    const { text, ran } = await expand(body, '', { 'a.ts': 'never' });
    expect(ran).toEqual(['git log -1', 'ls src']);
    expect(text).toBe('A <git log -1> b\n<ls src>\n![image](x)\nWow!\n```\n!`rm x` @a.ts\n!ls\n```\nend');
  });

  test('arguments are never run as commands, and command output never names files', async () => {
    const { text, ran } = await expand('$ARGUMENTS !`echo @a.ts`', '!`rm x`', { 'a.ts': 'secret' });
    expect(ran).toEqual(['echo @a.ts']);
    expect(text).toBe('!`rm x` <echo @a.ts>');
  });

  test('existing files are appended once, at the end', async () => {
    const { text } = await expand('See @a.ts, (@src/b.ts) and @$1. mail@a.ts @none', 'a.ts', {
      'a.ts': 'A',
      'src/b.ts': 'B',
    });
    expect(text).toBe(
      'See @a.ts, (@src/b.ts) and @a.ts. mail@a.ts @none\n\n<file path="a.ts">\nA\n</file>\n\n<file path="src/b.ts">\nB\n</file>',
    );
  });
});

describe('words for a shell', () => {
  test('quotes keep them together', () => {
    expect(splitWords(`a "b c" 'd "e' f`)).toEqual(['a', 'b c', 'd "e', 'f']);
  });

  test.skipIf(process.platform === 'win32')(
    'an argument is one word to a real shell, with quotes around it or without',
    () => {
      const word = fc
        .string({ minLength: 1, maxLength: 20, unit: fc.constantFrom(...'a $`"\'\\;&|()<>*?~#!{}[]=-%\n') })
        .filter((text) => text.trim() !== '');
      fc.assert(
        fc.property(word, (text) => {
          const line = `printf '%s\\n' ${quoted(text)}; echo end; echo "${quoted(text)}" >/dev/null; echo really`;
          const out = execFileSync('sh', ['-c', line], {
            encoding: 'utf8',
            stdio: ['ignore', 'pipe', 'ignore'],
          });
          expect(out).toBe(`${text.replaceAll(/\s*\n\s*/g, ' ')}\nend\nreally\n`);
        }),
        { numRuns: 150 },
      );
    },
  );
});
