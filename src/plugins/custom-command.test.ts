import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { quoted, splitWords } from './arguments.ts';
import { expandCommand, parseCommand } from './custom-command.ts';

const parse = (path: string, text: string) => parseCommand({ path, file: `/c/${path}`, text }, 'user');

async function expand(body: string, typed = '', syntax?: 'codex' | 'gemini') {
  const ran: string[] = [];
  const expanded = await expandCommand({ body, ...(syntax && { syntax }) }, typed, {
    async run(command) {
      ran.push(command);
      return `<${command}>`;
    },
    missing(names) {
      throw new Error(`missing ${names.join()}`);
    },
  });
  return { ...expanded, ran };
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
    expect(parse('a.md', '# Do this\nand that')).toMatchObject({ description: 'Do this (user)' });
  });

  test('its name may have spaces, digits and folders; prompts of Codex have their own folder', () => {
    expect(parse('1. Fix it.md', 'x')).toMatchObject({ name: '1.-fix-it' });
    expect(parse('a/b/c.md', 'x')).toMatchObject({ name: 'a:b:c' });
    const codex = { path: 'draft.md', file: '/c/draft.md', text: 'Draft $FILE', of: 'codex' };
    expect(parseCommand(codex, 'user')).toMatchObject({ name: 'prompts:draft', syntax: 'codex' });
  });

  test.each(['-x.md', 'ä.md', 'a:.md'])('%s is not a valid name', (path) => {
    expect(parse(path, 'x')).toMatch(/^not a valid command name/);
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
    const { text, written, ran } = await expand(body);
    expect(written).not.toContain('@a.ts');
    expect(ran).toEqual(['git log -1', 'ls src']);
    expect(text).toBe('A <git log -1> b\n<ls src>\n![image](x)\nWow!\n```\n!`rm x` @a.ts\n!ls\n```\nend');
  });

  test('a block marked with ! runs as a whole', async () => {
    const { text, ran } = await expand('A\n```!\ngit log -1\ncat $1\n```\nB', 'x y');
    expect(ran).toEqual(['git log -1\ncat x']);
    expect(text).toBe('A\n<git log -1\ncat x>\nB');
  });

  test('arguments are counted from 0 where a text has $0, and always in brackets', async () => {
    expect((await expand('$0 $1 $ARGUMENTS[1] $ARGUMENTS[7]', 'a b')).text).toBe('a b b');
    expect((await expand('$1 $2 $ARGUMENTS[0]', 'a b')).text).toBe('a b a');
    expect((await expand('$ARGUMENTS[0]', 'a b')).text).toBe('a');
  });

  test('named arguments, where a command has them', async () => {
    const typed = 'FILE="a b.ts" TITLE=x;y other=1';
    expect((await expand('$FILE: $TITLE $$5 $1', typed, 'codex')).text).toBe('a b.ts: x;y $5 FILE=a b.ts');
    expect((await expand('!`cat $FILE`', typed, 'codex')).ran).toEqual(['cat a\\ b.ts']);
    await expect(expand('$FILE $WHY', typed, 'codex')).rejects.toThrow('missing WHY');
    expect((await expand('$FILE $$', typed)).text).toBe(`$FILE $$\n\n${typed}`);
  });

  test('a command of Gemini CLI', async () => {
    const toml =
      'description = "Fix"\nprompt = """\nFix {{args}}: !{grep {{args}} a | awk \'{print $1}\'}\nBy @{docs/a b.md}, $1.\n"""';
    const file = { path: 'git/fix.toml', file: '/c/fix.toml', text: toml, of: 'gemini' };
    const command = parseCommand(file, 'project');
    expect(command).toMatchObject({ name: 'git:fix', description: 'Fix (project)', syntax: 'gemini' });
    const body = typeof command === 'string' ? '' : command.body;
    const { text, written, ran } = await expand(body, 'a; !{rm x}', 'gemini');
    expect(ran).toEqual(["grep a\\;\\ \\!\\{rm\\ x\\} a | awk '{print $1}'"]);
    expect(text).toBe(`Fix a; !{rm x}: <${ran[0]}>\nBy @"docs/a b.md", $1.`);
    expect(written).toBe('Fix a; !{rm x}:  \nBy @"docs/a b.md", $1.');
    expect((await expand('Do !{ls', 'now', 'gemini')).text).toBe('Do !{ls\n\nnow');
    for (const bad of ['prompt = 1', 'prompt = ', 'description = "x"', 'prompt = " "'])
      expect(parseCommand({ ...file, text: bad }, 'user')).toMatch(/^not a command/);
  });

  test('arguments are never run as commands, and command output never names files', async () => {
    const { text, written, ran } = await expand('$ARGUMENTS !`echo @a.ts`', '!`rm x`');
    expect(written).toBe('!`rm x`  ');
    expect(ran).toEqual(['echo @a.ts']);
    expect(text).toBe('!`rm x` <echo @a.ts>');
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
        { numRuns: 50 },
      );
    },
  );
});
