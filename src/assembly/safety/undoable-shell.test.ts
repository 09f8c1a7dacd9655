import { expect, test } from 'vitest';
import type { CommandOutcome, Shell } from '../../contract/tool.ts';
import { undoableShell } from './undoable-shell.ts';

function shellWith(begins: () => Promise<string[]>) {
  const ran: string[] = [];
  const shell = {
    run: async ({ command }: { command: string }) => {
      ran.push(command);
      return { stdout: '', stderr: '', exitCode: 0 } as CommandOutcome;
    },
  } as unknown as Shell;
  const undo = {
    commandReads: async () => undefined,
    commandBegins: begins,
    commandEnded: async () => [],
    continuesInBackground: async () => undefined,
  } as never;
  const made = undoableShell(shell, {
    ...{ undo, changing: shell, cwd: '/', isHarmless: () => false },
    ...{ environmentOf: () => ({}), onNotice: () => undefined },
  });
  return { made, ran };
}

test('while the files are recorded for undo, the output says so, and the command has not started', async () => {
  let recorded: (notices: string[]) => void = () => undefined;
  const { made, ran } = shellWith(() => new Promise((resolve) => (recorded = resolve)));
  let said: (text: string) => void = () => undefined;
  const output = new Promise<string>((resolve) => (said = resolve));
  const { signal } = new AbortController();
  const run = made.run({ command: 'make', timeoutMs: 9, signal, onOutput: (text) => said(text) });
  expect(await output).toMatch(/^Recording the files of this folder for undo;/);
  expect(ran).toEqual([]);
  recorded([]);
  expect(await run).toMatchObject({ exitCode: 0, stdout: '' });
  expect(ran).toEqual(['make']);
});

test('nothing is said where that takes no time', async () => {
  const { made } = shellWith(async () => []);
  const output: string[] = [];
  const { signal } = new AbortController();
  await made.run({ command: 'make', timeoutMs: 9, signal, onOutput: (text) => output.push(text) });
  expect(output).toEqual([]);
});
