import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { freshFolder } from '../../../test/support/workspace.ts';
import { splitRules } from '../../contract/rule-syntax.ts';
import type { Options } from '../../frontends/shared/options.ts';
import { buildProgram, parseArgs } from '../args.ts';
import { spreadLists } from './flag-lists.ts';
import { peerFlagHint, peerFlags } from './peer-flags.ts';
import { acceptedPeerFlags } from './peer-names.ts';

function parse(...args: string[]): { prompt: string; options: Options; errors: string } {
  let errors = '';
  const err = (text: string) => {
    errors += text;
  };
  try {
    const parsed = parseArgs(args, { out: () => undefined, err });
    if (parsed.kind !== 'conversation') throw new Error('a subcommand');
    return { prompt: parsed.words.join(' '), options: parsed.options, errors };
  } catch {
    return { prompt: '', options: {} as Options, errors };
  }
}

const picked = (options: Options, like: object) =>
  Object.fromEntries(Object.keys(like).map((key) => [key, options[key as keyof Options]]));

describe('flags with the names of Claude Code', () => {
  test.each<[string[], object, string]>([
    [['-p', 'go', '--allowedTools', 'Bash(git *),Edit'], { allow: ['Bash(git *)', 'Edit'] }, 'go'],
    [
      ['-p', 'go', '--allowed-tools', 'Bash(git log:*)', 'Edit'],
      { allow: ['Bash(git log:*)', 'Edit'] },
      'go',
    ],
    [['-p', '--allowedTools', 'Bash Edit', 'fix the bug'], { allow: ['Bash', 'Edit'] }, 'fix the bug'],
    [['-p', '--allowedTools', 'Edit', 'Explain Foo'], { allow: ['Edit'] }, 'Explain Foo'],
    [['--allowedTools=mcp__docs__read', '--', 'Go'], { allow: ['mcp__docs__read'] }, 'Go'],
    [['--allow', 'Read', '--allowedTools', 'Edit', 'x'], { allow: ['Read', 'Edit'] }, 'x'],
    [['--disallowedTools', 'Bash(rm *)', 'WebFetch', 'x'], { deny: ['Bash(rm *)', 'WebFetch'] }, 'x'],
    [['--disallowed-tools', 'Bash(rm *) Edit', 'x'], { deny: ['Bash(rm *)', 'Edit'] }, 'x'],
    [['--permission-mode', 'acceptEdits', 'x'], { mode: 'accept-edits' }, 'x'],
    [['--permission-mode', 'plan', 'x'], { mode: 'plan', skipping: undefined }, 'x'],
    [
      ['--permission-mode=bypassPermissions', '--allow-dangerously-skip-permissions', 'x'],
      { mode: 'auto', skipping: '--permission-mode bypassPermissions' },
      'x',
    ],
    [
      ['--dangerously-skip-permissions', 'x'],
      { mode: 'auto', skipping: '--dangerously-skip-permissions' },
      'x',
    ],
    [
      ['--dangerously-skip-permissions', '--permission-mode', 'plan', 'x'],
      { mode: 'plan', skipping: '--dangerously-skip-permissions' },
      'x',
    ],
    [['--permission-mode', 'dontAsk', 'x'], { mode: 'default', neverAsk: true }, 'x'],
    [['-c', '--fork-session', 'x'], { continue: true, fork: true }, 'x'],
    [['--max-budget-usd', '2.5', 'x'], { budget: ['$2.5'] }, 'x'],
    [
      ['--mcp-config', 'a.json', '{"mcpServers":{}}', 'go on'],
      { mcpConfig: ['a.json', '{"mcpServers":{}}'] },
      'go on',
    ],
    [['--tools', 'Bash,Read', 'x'], { tools: ['Bash', 'Read'] }, 'x'],
    [['--tools', '', 'x'], { tools: [] }, 'x'],
    [['--tools', 'default', 'x'], { tools: undefined }, 'x'],
    [['--no-session-persistence', 'x'], { sessionPersistence: false }, 'x'],
    [
      ['--session-id', '123E4567-E89B-42D3-A456-426614174000', 'x'],
      { sessionId: '123e4567-e89b-42d3-a456-426614174000' },
      'x',
    ],
  ])('%j', (args, options, prompt) => {
    const parsed = parse(...args);
    expect({ ...picked(parsed.options, options), prompt: parsed.prompt, errors: parsed.errors }).toEqual({
      ...options,
      prompt,
      errors: '',
    });
  });

  test('several folders follow --add-dir, and the prompt follows them', async () => {
    const [one, two] = [await freshFolder(), await freshFolder()];
    const { options, prompt } = parse('--add-dir', one, two, 'test', '--add-dir', one);
    expect({ addDir: options.addDir, prompt }).toEqual({ addDir: [one, two, one], prompt: 'test' });
    expect(parse('--add-dir', one, '/review').prompt).toBe('/review');
  });

  test.each([
    [['--session-id', 'abc'], 'Use a UUID'],
    [['--session-id', '123e4567-e89b-42d3-a456-426614174000', '--continue'], 'cannot be used with'],
    [['--permission-mode', 'yolo'], 'Allowed choices are default, acceptEdits'],
    [['--max-budget-usd', 'much'], 'Use an amount'],
    [['--system-prompt', 'a', '--system-prompt-file', 'b'], 'cannot be used with'],
  ])('%j is wrong usage', (args, words) => {
    expect(parse(...args).errors).toContain(words);
  });
});

describe('lists of rules', () => {
  const rule = fc.oneof(
    fc.stringMatching(/^[A-Z][a-z]{0,5}$/),
    fc
      .tuple(fc.stringMatching(/^[A-Z][a-z]{0,5}$/), fc.stringMatching(/^[a-z ,*:]{0,8}$/))
      .map(([a, b]) => `${a}(${b})`),
  );

  test('any rules survive being joined by commas or spaces', () => {
    fc.assert(
      fc.property(fc.array(rule, { minLength: 1 }), fc.constantFrom(',', ', ', ' '), (rules, separator) => {
        expect(splitRules(rules.join(separator))).toEqual(rules);
      }),
    );
  });

  test('what is not a list is passed on unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (args) => {
        const plain = args.filter((one) => !one.startsWith('--'));
        expect(spreadLists(plain)).toEqual(plain);
        expect(spreadLists(['--', '--add-dir', ...plain])).toEqual(['--', '--add-dir', ...plain]);
      }),
    );
  });
});

describe('flags of other assistants', () => {
  const silent = { out: () => undefined, err: () => undefined };
  const ours = buildProgram(silent).options.flatMap(({ short, long }) => [short, long]);

  test.each(acceptedPeerFlags)('%s is accepted with a value, or without one, as ours is', (flag) => {
    expect(ours).not.toContain(flag);
    const { errors } = parse(flag);
    if (errors !== '') {
      expect(errors).toMatch(/argument missing/);
      const level = /effort|variant/.test(flag) ? 'high' : 'x';
      expect(parse(flag, level).errors).toBe('');
      expect(parse(`${flag}=${level}`).errors).toBe('');
    }
  });

  test.each<[string[], object, string]>([
    [['--yolo', 'go'], { mode: 'auto', skipping: '--dangerously-skip-permissions' }, 'go'],
    [['--full-auto', 'go'], { mode: 'auto', skipping: undefined }, 'go'],
    [['--approval-mode', 'auto_edit', 'go'], { mode: 'accept-edits' }, 'go'],
    [['--approval-mode=yolo'], { mode: 'auto' }, ''],
    [['--prompt', 'fix it', '-m', 'x'], { print: true, model: 'x' }, 'fix it'],
    [['--prompt=a=b'], { print: true }, 'a=b'],
    [['--prompt-interactive', 'fix it'], { print: undefined }, 'fix it'],
    [['--session', 'abc'], { resume: 'abc' }, ''],
    [['-C', '/tmp', 'go'], { cd: '/tmp' }, 'go'],
    [['--cwd=/tmp'], { cd: '/tmp' }, ''],
    [['--include-directories', 'a', '--include-directories=b'], { addDir: ['a', 'b'] }, ''],
    [['--non-interactive', 'go'], { print: true }, 'go'],
    [['--skip-git-repo-check', 'go'], {}, 'go'],
    [['--', '--yolo', '--cwd'], { mode: undefined, cd: undefined }, '--yolo --cwd'],
  ])('%j', (args, like, prompt) => {
    const { options, errors, ...parsed } = parse(...args);
    expect({ errors, prompt: parsed.prompt, options: picked(options, like) }).toEqual({
      errors: '',
      prompt,
      options: like,
    });
  });

  test.each(peerFlags.flatMap(({ flags }) => flags))('%s says what to use here', (flag) => {
    expect(ours).not.toContain(flag);
    expect(parse(flag).errors).toBe(`error: unknown option '${flag}'\n${peerFlagHint(flag)}\n`);
  });

  test('each names flags that exist', () => {
    for (const { use } of peerFlags)
      for (const [flag] of use.matchAll(/(?<![\w-])--[a-z-]+/g)) expect(ours).toContain(flag);
  });

  test('a misspelled flag of ours still gets a suggestion', () => {
    expect(parse('--modle', 'x').errors).toContain('(Did you mean one of --mode, --model?)');
  });
});
