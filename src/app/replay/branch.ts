import { mkdtempSync, readdirSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promptsOf } from '../../commands/prompts.ts';
import { UserError } from '../../contract/errors.ts';
import { promptText } from '../../contract/message.ts';
import { unlessErrno } from '../../lib/files/errno.ts';
import { isInside } from '../../lib/paths/inside.ts';
import { rerooting } from '../../session/bundle/reroot.ts';
import { missingModelError } from '../first-run/missing-model.ts';
import type { Host } from '../host.ts';
import { findModel } from '../opening/find-model.ts';
import { type Settings, sessionStore } from '../settings.ts';
import { realPlace } from './scratch.ts';
import { removeCopy } from './scratch-copy.ts';
import { openSource, type ReplayPlace, type ReplaySource } from './source.ts';
import { Timeline } from './timeline.ts';

/** A new session that goes on from before a prompt of another one. */
export type Branch = { id: string; folder: string; prompt: string; notes: string[] };

/** Copies the folder as it was before the prompt, numbered as by `/rewind`, and the conversation up to there. The copy stays. */
export async function branchSession(
  wanted: string,
  { from, at }: { from: number; at?: string },
  place: ReplayPlace,
): Promise<Branch> {
  const source = await openSource(wanted, place);
  const { messages, workingDirectory } = source.script.session;
  const prompts = promptsOf(messages);
  const index = prompts[from - 1]?.message;
  if (index === undefined)
    throw new UserError(
      `Session ${source.id.slice(0, 8)} has no prompt ${from}: it has ${prompts.length}.`,
      'Name one of them with --from.',
    );
  const target = emptyFolder(at, workingDirectory);
  try {
    return await branchInto(target.folder, { source, index, wanted, place });
  } catch (error) {
    await target.clear();
    throw error;
  }
}

/** Throws if no model can answer. */
export async function requireModel(settings: Settings, host: Host): Promise<void> {
  if (!(await findModel(settings, host))) throw await missingModelError(settings, host);
}

type BranchOptions = { source: ReplaySource; index: number; wanted: string; place: ReplayPlace };

async function branchInto(folder: string, { source, index, wanted, place }: BranchOptions): Promise<Branch> {
  const chosen = source.script.session.messages[index];
  if (chosen?.role !== 'user') throw new Error(`Message ${index} is no prompt.`);
  const scratch = await source.createScratch(folder);
  try {
    const timeline = new Timeline(source.records);
    await scratch.set(timeline.before({ at: chosen.timestamp, next: null, message: index }));
    await scratch.setGit(timeline.git);
  } finally {
    await scratch.remove();
  }
  const store = sessionStore(place.settings);
  const copy = await store.fork(source.id, index);
  if (!copy)
    throw new UserError(`There is no session "${wanted}".`, 'Run `aca sessions` to list all sessions.');
  await copy.close();
  const { id } = copy.session;
  await store.relocate(id, rerooting(scratch.moves));
  return { id, folder: scratch.folder, prompt: promptText(chosen), notes: scratch.notes };
}

/** `clear` removes what was put there. */
function emptyFolder(at: string | undefined, original: string): { folder: string; clear(): Promise<void> } {
  if (at === undefined) {
    const folder = mkdtempSync(path.join(tmpdir(), 'aca-branch-'));
    return { folder, clear: () => removeCopy(folder) };
  }
  if (isInside(realPlace(original), realPlace(at)))
    throw new UserError(
      `The folder ${at} is inside the session's folder.`,
      'Name a folder outside it with --at.',
    );
  const names = unlessErrno(['ENOENT'], null, () => unlessErrno(['ENOTDIR'], 'file', () => readdirSync(at)));
  if (names === 'file') throw new UserError(`${at} is not a folder.`, 'Name a new folder with --at.');
  if (names !== null && names.length > 0)
    throw new UserError(`The folder ${at} is not empty.`, 'Name a new folder with --at.');
  const clear = async () => {
    for (const name of unlessErrno(['ENOENT'], [], () => readdirSync(at)))
      await removeCopy(path.join(at, name));
    if (names === null) unlessErrno(['ENOENT'], undefined, () => rmdirSync(at));
  };
  return { folder: at, clear };
}
