import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Message } from '../../src/contract/message.ts';
import { collectBundle, type Redaction, writeBundle } from '../../src/session/bundle/export-bundle.ts';
import { importBundle } from '../../src/session/bundle/import-bundle.ts';
import { sessionPlace } from '../../src/session/session-place.ts';
import { headerOf, SessionStore } from '../../src/session/store.ts';
import { undoPlace } from '../../src/session/undo/undo-place.ts';
import { UndoStore } from '../../src/session/undo/undo-store.ts';
import { answer, prompt, reply } from './histories.ts';
import { begin } from './undo.ts';
import { workspace } from './workspace.ts';

export const LIMITS = { bytes: 64 * 1024 * 1024 };

/** A machine with a project, and what bundles need of it. */
export async function machine(files: Record<string, string> = {}) {
  const { root, home, tree } = await workspace(files);
  const sessions = path.join(home, 'sessions');
  const store = new SessionStore(sessions);
  const placeOf = (id: string) => sessionPlace({ dataRoot: home, sessions, id, cwd: root });
  return {
    root,
    home,
    tree,
    store,
    placeOf,
    undo: (id: string) => new UndoStore({ ...undoPlace(home, { sessionId: id, cwd: root }), roots: [root] }),
    async pack(id: string, redaction?: Redaction, { allFiles = false } = {}) {
      const file = path.join(path.dirname(home), `${id}.aca`);
      const bundle = collectBundle({
        place: placeOf(id),
        workingDirectory: root,
        dataRoot: home,
        allFiles,
        ...(redaction && { redaction }),
      });
      await writeBundle(bundle, file);
      return { file, ...bundle };
    },
    unpack: (file: string) => importBundle(file, { dataRoot: home, sessions, at: root, limits: LIMITS }),
  };
}

export type Machine = Awaited<ReturnType<typeof machine>>;

/** A session with messages, a subagent, a compaction, a rewind, an image, a pin and a kept output. */
export async function sessionOn(
  { root, store, placeOf, undo }: Machine,
  messages: readonly Message[],
  run: (undo: UndoStore) => Promise<void> = async () => undefined,
): Promise<string> {
  const opened = store.create(root, { model: 'p/m' });
  const { id } = opened.session;
  const outputs = placeOf(id).outputs;
  await opened.journal.append(
    headerOf(opened.session),
    ...messages.map((message) => ({ type: 'message' as const, message })),
    { type: 'title', title: `in ${root}/src` },
    { type: 'pin', pinned: true },
    { type: 'pin_fact', text: 'tabs, not spaces' },
    {
      type: 'compaction',
      ...{ summary: `Read ${root}/a.ts`, kept: '', keepFrom: 1, squeezeUntil: 1, level: 1 },
      ...{ at: messages.length, tokensBefore: 10, tokensAfter: 5, by: 'extract' },
    },
    { type: 'message', message: prompt('undone') },
    { type: 'rewind', keep: messages.length },
    {
      type: 'message',
      message: {
        ...prompt(`see ${outputs}/c1.txt`),
        content: [{ type: 'image', mediaType: 'image/png', data: Buffer.from(root).toString('base64') }],
      },
    },
    {
      type: 'message',
      message: reply('', { id: 'c1', name: 'Agent', input: { file_path: `${root}/a.ts` } }),
    },
    { type: 'call_started', callId: 'c1' },
    {
      type: 'message',
      message: answer('c1', 'Agent', `${root}/a.ts and ${root}-other, see ${outputs}/c1.txt`),
    },
    { type: 'reply', provider: 'p', model: 'm', at: '2026-01-01T00:00:00.000Z' },
    { type: 'delta', kind: 'text', text: 'half ' },
    { type: 'delta', kind: 'text', text: 'an answer' },
  );
  await opened.close();
  const subagent = opened.subagents.create(
    { callId: 'c1', agent: 'Explore', task: 'look' },
    { workingDirectory: root, settings: { model: 'p/m' } },
  );
  await subagent.journal.append(
    headerOf(subagent.session),
    { type: 'subagent', callId: 'c1', agent: 'Explore', task: 'look' },
    { type: 'message', message: prompt(`look at ${root}`) },
    { type: 'message', message: reply('Found.') },
  );
  await subagent.journal.close();
  await mkdir(outputs, { recursive: true });
  await writeFile(path.join(outputs, 'c1.txt'), 'a long output\n');
  const changes = undo(id);
  begin(changes);
  await run(changes);
  await changes.close();
  return id;
}
