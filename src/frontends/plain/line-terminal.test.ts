import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import type { Terminal } from '../shared/terminal.ts';
import { Conversation, completionsOf } from './line-terminal.ts';

const UP = '\x1b[A';

/** A terminal with just what the line editor uses. */
function talkWith(prompts: string[]) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
  const stdout = new PassThrough();
  stdout.resume();
  const talk = new Conversation({ stdin, stdout, env: {} } as unknown as Terminal, { prompts });
  onTestFinished(() => talk.close());
  return { talk, type: (keys: string) => stdin.write(keys) };
}

test('[C02] the arrow keys recall prompts, newest first, those of this session before earlier ones', async () => {
  const { talk, type } = talkWith(['oldest', 'two\nlines', 'newest']);
  type('typed now\r');
  expect(await talk.prompt()).toBe('typed now');
  for (const [keys, line] of [
    [UP, 'typed now'],
    [UP + UP, 'newest'],
    [UP + UP + UP, 'oldest'],
  ] as const) {
    type(`${keys}\r`);
    expect(await talk.prompt()).toBe(line);
  }
});

test('answers, especially API keys, are never recalled', async () => {
  const { talk, type } = talkWith(['earlier']);
  for (const ask of [() => talk.ask('Sure? '), () => talk.askHidden('Key: ')]) {
    const answer = ask();
    type('sk-secret\r');
    expect(await answer).toBe('sk-secret');
    const prompt = talk.prompt();
    type(`${UP}\r`);
    expect(await prompt).toBe('earlier');
  }
});

test('[C10] Tab completes commands by prefix, or else by letters; words in a prompt are not completed', () => {
  const commands = ['help', 'history', 'git:fix', 'Resume'];
  expect(completionsOf('/h', commands)).toEqual(['/help', '/history']);
  expect(completionsOf('/', commands)).toEqual(['/git:fix', '/help', '/history', '/resume']);
  expect(completionsOf('/GIT:', commands)).toEqual(['/git:fix']);
  expect(completionsOf('/gfx', commands)).toEqual(['/git:fix']);
  expect(completionsOf('/zz', commands)).toEqual([]);
  expect(['h', 'what /h', '/help x', ''].flatMap((line) => completionsOf(line, commands))).toEqual([]);
});
