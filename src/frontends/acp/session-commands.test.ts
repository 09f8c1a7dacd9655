import { expect, test } from 'vitest';
import { builtinCommands } from '../../commands/index.ts';
import { sessionCommands } from './session-commands.ts';

test('what leaves the session, and voice, is up to the editor; a headless run has no command that asks, either', () => {
  const names = (list: typeof builtinCommands) => list.map(({ name }) => name).sort();
  const missing = builtinCommands.filter((command) => !sessionCommands.includes(command));
  expect(names(missing)).toEqual(['add-dir', 'clear', 'fork', 'quit', 'resume', 'rewind', 'voice']);
  const asking = sessionCommands.filter(({ needs }) => needs);
  expect(names(asking)).toEqual(['commit', 'redo', 'trust', 'undo']);
});
