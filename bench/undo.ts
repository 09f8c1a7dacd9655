import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Objects } from '../src/session/undo/objects.ts';
import { pruneUndo } from '../src/session/undo/prune.ts';
import { UndoStore } from '../src/session/undo/undo-store.ts';
import type { ToolRow } from './tools.ts';

const FILES = 50_000;
const ROUNDS = 7;
const CONTENTS_PER_PACK = 200;
const HOUR_MS = 60 * 60 * 1000;

/** The cost of undo: CPU milliseconds around a command in a large tree, and storage growth. */
export async function undoRows(): Promise<ToolRow[]> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'aca-bench-undo-')));
  try {
    return [...(await looking(path.join(folder, 'look'))), ...(await storing(path.join(folder, 'store')))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function looking(folder: string): Promise<ToolRow[]> {
  const root = path.join(folder, 'project');
  for (let i = 0; i < FILES; i++) {
    const place = path.join(root, `package-${i % 50}`, 'src', `area-${i % 500}`);
    if (i < 500) mkdirSync(place, { recursive: true });
    writeFileSync(path.join(place, `file-${i}.ts`), `export const value${i} = ${i};\n`.repeat(10));
  }
  const open = (sessionId: string) =>
    new UndoStore({ folder: path.join(folder, 'undo'), sessionId, roots: [root] });
  const around = async (undo: UndoStore) => {
    const before = await cpuMs(() => undo.commandBegins());
    writeFileSync(path.join(root, 'package-7', 'src', 'area-7', 'file-7.ts'), `${Math.random()}`);
    return {
      before,
      after: await cpuMs(() => undo.commandEnded({ commands: [], endedAt: Date.now(), ms: 100 })),
    };
  };
  const undo = open('first');
  undo.beginRun({ at: '', prompt: '', message: 0 });
  const first = await around(undo);
  const later = [];
  for (let round = 0; round < ROUNDS; round++) later.push(await around(undo));
  await undo.close();
  const again = open('second');
  again.beginRun({ at: '', prompt: '', message: 0 });
  const another = await around(again);
  await again.close();
  const target = 'under 100';
  return [
    { what: 'CPU before a command in 50,000 files, the first ever', ms: first.before },
    { what: 'CPU before a command in 50,000 files, the first of a session', ms: another.before },
    {
      what: 'CPU before a command in 50,000 files, later ones',
      ms: median(later.map(({ before }) => before)),
      target,
    },
    { what: 'CPU after a command in 50,000 files', ms: median(later.map(({ after }) => after)), target },
  ];
}

/** Each process has its own pack, so that the number of packs grows as with sessions. */
async function storing(folder: string): Promise<ToolRow[]> {
  const rows: ToolRow[] = [];
  for (const packs of [100, 200, 400]) {
    const objects = path.join(folder, String(packs), 'objects');
    const old = (Date.now() - 2 * HOUR_MS) / 1000;
    for (let pack = 0; pack < packs; pack++) {
      const kept = new Objects(objects, { fresh: true });
      for (let i = 0; i < CONTENTS_PER_PACK; i++) kept.put(Buffer.from(`content ${i} of pack ${pack}\n`));
      kept.close();
    }
    const loading = await timed(async () => void new Objects(objects).get('0'.repeat(64)));
    const log = path.join(folder, String(packs), 'some.jsonl');
    writeFileSync(log, `${JSON.stringify({ type: 'run', at: '', prompt: '' })}\n`);
    utimesSync(log, old, old);
    const pruning = await timed(() => pruneUndo(path.dirname(objects), { now: Date.now() + 48 * HOUR_MS }));
    rows.push(
      { what: `load the index of ${packs} packs`, ms: loading, target: 'linear' },
      { what: `prune ${packs} packs`, ms: pruning, target: 'linear' },
    );
  }
  return rows;
}

async function cpuMs(deed: () => Promise<unknown>): Promise<number> {
  const began = process.cpuUsage();
  await deed();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}

async function timed(deed: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await deed();
  return performance.now() - began;
}

function median(figures: number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;
}
