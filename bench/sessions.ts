import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pty from '@lydell/node-pty';
import type { Message } from '../src/contract/message.ts';
import { headerOf, type OpenSession, SessionStore } from '../src/session/store.ts';
import { UndoStore } from '../src/session/undo/undo-store.ts';
import type { ToolRow } from './tools.ts';

const ROUNDS = 9;
const MESSAGES = 10_000;
const MESSAGE_BYTES = 5_000;
const SESSIONS = 1_000;
const FILES = 5_000;
const APPENDS = 60;

/** Sessions and undo at the sizes they must handle. `main` is the built program. */
export async function sessionRows(main: string): Promise<ToolRow[]> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'aca-bench-sessions-')));
  try {
    return [
      await resuming(main, path.join(folder, 'resume')),
      ...(await appending(path.join(folder, 'append'))),
      ...(await listing(path.join(folder, 'list'))),
      ...(await capturing(path.join(folder, 'capture'))),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function resuming(main: string, folder: string): Promise<ToolRow> {
  await mkdir(folder, { recursive: true });
  const store = new SessionStore(path.join(folder, 'data', 'sessions'));
  const [short, long] = [await sessionOf(store, folder, 2), await sessionOf(store, folder, MESSAGES)];
  const figures: Record<'short' | 'long', number[]> = { short: [], long: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    figures.short.push(await spawnToPrompt([main, '--resume', short.session.id], folder));
    figures.long.push(await spawnToPrompt([main, '--resume', long.session.id], folder));
  }
  const baseline = median(figures.short.slice(1));
  return {
    what: 'resume of 10,000 messages, 50 MB: spawn to prompt, over a session of 2',
    ms: median(figures.long.slice(1)) - baseline,
    baseline: { what: 'a session of 2 messages', ms: baseline },
    target: 'under 300',
  };
}

/** Interleaved, so that disk activity affects both. The sync itself is a separate figure. */
async function appending(folder: string): Promise<ToolRow[]> {
  const store = new SessionStore(folder);
  const sizes: { count: number; opened: OpenSession; written: number[]; synced: number[] }[] = [];
  for (const count of [10, 1_000, 10_000]) {
    const { id } = (await sessionOf(store, folder, count)).session;
    const opened = await store.resume(id);
    if (!opened) throw new Error(`There is no session ${id}.`);
    await opened.ready;
    sizes.push({ count, opened, written: [], synced: [] });
  }
  for (let round = 0; round < APPENDS; round++) {
    for (const { opened, written, synced } of sizes) {
      const message = messageOf(round);
      const started = performance.now();
      await opened.journal.append({ type: 'message', message });
      written.push(performance.now() - started);
      await opened.journal.sync();
      synced.push(performance.now() - started);
    }
  }
  for (const { opened } of sizes) await opened.journal.close();
  const rowsOf = (what: string, kind: 'written' | 'synced') =>
    sizes.map(({ count, [kind]: figures }) => ({
      what: `append to ${count} messages${what}`,
      ms: median(figures),
      baseline: { what: 'to 10 messages', ms: median(sizes[0]?.[kind] ?? []) },
      target: 'flat',
    }));
  return [...rowsOf('', 'written'), ...rowsOf(', on the disk', 'synced')];
}

async function listing(folder: string): Promise<ToolRow[]> {
  const store = new SessionStore(folder);
  for (let i = 0; i < SESSIONS; i++) await sessionOf(store, folder, 4);
  const list = () => {
    if (new SessionStore(folder).list().length !== SESSIONS) throw new Error('The list is incomplete.');
  };
  const started = performance.now();
  list();
  const first = performance.now() - started;
  return [
    { what: 'list of 1,000 sessions, never listed before', ms: first },
    { what: 'list of 1,000 sessions', ms: await medianOf(list), target: 'under 200' },
  ];
}

/** What a command waits for before it can start. */
async function capturing(folder: string): Promise<ToolRow[]> {
  const root = path.join(folder, 'project');
  for (let i = 0; i < FILES; i++) {
    const place = path.join(root, `area-${i % 100}`);
    if (i < 100) await mkdir(place, { recursive: true });
    await writeFile(path.join(place, `file-${i}.ts`), `export const value${i} = ${i};\n`.repeat(60));
  }
  const open = (sessionId: string) =>
    new UndoStore({ folder: path.join(folder, 'undo'), sessionId, roots: [root] });
  const looked = async (undo: UndoStore) => {
    const started = performance.now();
    await undo.commandBegins();
    const ms = performance.now() - started;
    await undo.commandEnded({ commands: [], endedAt: Date.now(), ms: 100 });
    return ms;
  };
  const undo = open('first');
  const first = await looked(undo);
  const later: number[] = [];
  for (let round = 0; round < ROUNDS; round++) later.push(await looked(undo));
  await undo.close();
  const again = open('second');
  const another = await looked(again);
  await again.close();
  return [
    { what: 'before a command in 5,000 files, the first ever', ms: first },
    { what: 'before a command in 5,000 files, the first of a session', ms: another },
    { what: 'before a command in 5,000 files, later ones', ms: median(later), target: 'under 200' },
  ];
}

/** A session on disk, closed without its snapshot: nothing below reads it. */
async function sessionOf(store: SessionStore, cwd: string, count: number): Promise<OpenSession> {
  const opened = store.create(cwd, { model: 'ollama/none' });
  const messages = Array.from({ length: count }, (_, i) => messageOf(i));
  await opened.journal.append(headerOf(opened.session));
  for (let at = 0; at < count; at += 1000) {
    const part = messages.slice(at, at + 1000);
    await opened.journal.append(...part.map((message) => ({ type: 'message' as const, message })));
  }
  await opened.close();
  return opened;
}

function messageOf(i: number): Message {
  const content = [{ type: 'text' as const, text: `${i} ${'word '.repeat(MESSAGE_BYTES / 5)}` }];
  const timestamp = new Date(1_768_000_000_000 + i * 1000).toISOString();
  if (i % 2 === 0) return { role: 'user', content, timestamp };
  return { role: 'assistant', content, provider: 'ollama', model: 'none', stopReason: 'end', timestamp };
}

/** In a real terminal, until the program waits for input. */
function spawnToPrompt(args: string[], folder: string): Promise<number> {
  const started = performance.now();
  const child = pty.spawn(process.execPath, [...args, '--plain', '--model', 'ollama/none'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      AI_ASSISTANT_HOME: path.join(folder, 'data'),
      TERM: 'xterm',
      OLLAMA_HOST: 'http://127.0.0.1:9',
    },
  });
  return new Promise((resolve, reject) => {
    let seen = '';
    child.onData((data) => {
      seen += data;
      // The line editor places the cursor after the prompt.
      if (!seen.includes('> \u001b[3G')) return;
      resolve(performance.now() - started);
      child.kill('SIGKILL');
    });
    child.onExit(() => reject(new Error(`The program ended before its prompt: ${seen.slice(-500)}`)));
  });
}

async function medianOf(measure: () => unknown): Promise<number> {
  await measure();
  const figures: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    await measure();
    figures.push(performance.now() - started);
  }
  return median(figures);
}

function median(figures: number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;
}
