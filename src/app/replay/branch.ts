import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { promptText } from '../../contract/message.ts';
import { unlessErrno } from '../../lib/files/errno.ts';
import { rerooting } from '../../session/bundle/reroot.ts';
import { sessionStore } from '../settings.ts';
import { openSource, type ReplayPlace } from './source.ts';
import { Timeline } from './timeline.ts';

/** A new session that goes on from before a prompt of another one. */
export type Branch = { id: string; folder: string; prompt: string; notes: string[] };

/** Copies the folder as it was before the prompt, and the conversation up to there. The copy stays. */
export async function branchSession(
  wanted: string,
  { from, at }: { from: number; at?: string },
  place: ReplayPlace,
): Promise<Branch> {
  const source = await openSource(wanted, place);
  const { messages } = source.script.session;
  const prompts = messages.flatMap((message, index) => (message.role === 'user' ? [{ message, index }] : []));
  const chosen = prompts[from - 1];
  if (!chosen)
    throw new UserError(
      `Session ${source.id.slice(0, 8)} has no prompt ${from}: it has ${prompts.length}.`,
      'Name one of them with --from.',
    );
  const scratch = await source.createScratch(emptyFolder(at));
  const timeline = new Timeline(source.records);
  const { timestamp } = chosen.message;
  await scratch.set(timeline.before({ at: timestamp, next: null, message: chosen.index }));
  await scratch.setGit(timeline.git);
  await scratch.remove();
  const store = sessionStore(place.settings);
  const copy = await store.fork(source.id, chosen.index);
  if (!copy)
    throw new UserError(`There is no session "${wanted}".`, 'Run `aca sessions` to list all sessions.');
  await copy.close();
  const { id } = copy.session;
  await store.relocate(id, rerooting(scratch.moves));
  return { id, folder: scratch.folder, prompt: promptText(chosen.message), notes: scratch.notes };
}

function emptyFolder(at: string | undefined): string {
  if (at === undefined) return mkdtempSync(path.join(tmpdir(), 'aca-branch-'));
  if (unlessErrno(['ENOENT'], [], () => readdirSync(at)).length > 0)
    throw new UserError(`The folder ${at} is not empty.`, 'Name a new folder with --at.');
  return at;
}
