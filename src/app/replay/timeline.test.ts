import { expect, test } from 'vitest';
import { sha256 } from '../../lib/sha256.ts';
import type { FileState } from '../../session/undo/file-state.ts';
import type { UndoRecord } from '../../session/undo/undo-log.ts';
import { statesAtStart } from '../../session/undo/undo-log.ts';
import { Timeline } from './timeline.ts';

const file = (text: string): FileState => ({ type: 'file', mode: 0o644, hash: sha256(text) });
const run = (at: string, message: number): UndoRecord => ({ type: 'run', at, prompt: 'p', message });
const change = (before: FileState | null, after: FileState | null): UndoRecord => ({
  type: 'change',
  path: '/p/a',
  before,
  after,
});

test('runs, an undo, an edit and a command of the user are told apart', () => {
  const records: UndoRecord[] = [
    run('02', 0),
    change(file('0'), file('1')),
    { type: 'undone', runs: [0], changes: [{ path: '/p/a', before: file('1'), after: file('0') }] },
    run('04', 2),
    change(file('by hand'), file('2')),
    run('06', 4),
    change(file('2'), file('by a command of the user')),
  ];
  expect(statesAtStart(records)).toEqual(new Map([['/p/a', file('0')]]));
  const timeline = new Timeline(records);

  expect(timeline.before({ at: '01', next: '03', message: 0 })).toEqual(new Map());
  timeline.runEnded();
  expect(timeline.known).toEqual(new Map([['/p/a', file('1')]]));

  expect(timeline.before({ at: '03', next: '07', message: 2 })).toEqual(new Map([['/p/a', file('by hand')]]));
  timeline.runEnded();
  expect(timeline.known).toEqual(new Map([['/p/a', file('2')]]));

  expect(timeline.before({ at: '07', next: null, message: 4 })).toEqual(
    new Map([['/p/a', file('by a command of the user')]]),
  );
});
