import { expect, test } from 'vitest';
import { endingEpochs, mapJournal } from './map-texts.ts';

const EPOCH = {
  ...{ type: 'epoch', from: 0, cause: 'start', reader: 'anthropic full' },
  ...{ system: 'Folder: /a', tools: [], stated: {} },
};
const journal = Buffer.from(`${JSON.stringify({ type: 'header', id: 'x' })}\n${JSON.stringify(EPOCH)}\n`);

test('where texts change, no model continues the epoch that was built on them', () => {
  const moved = mapJournal(journal, { text: (text) => text.replace('/a', '/b') }, endingEpochs);
  const [header, epoch] = moved
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(header).toEqual({ type: 'header', id: 'x' });
  expect(epoch).toMatchObject({ system: 'Folder: /b' });
  expect(epoch).not.toMatchObject({ reader: EPOCH.reader });
});

test('where nothing changes, it goes on', () => {
  expect(mapJournal(journal, { text: (text) => text })).toEqual(journal);
});
