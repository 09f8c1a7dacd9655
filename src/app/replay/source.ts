import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { isLocked } from '../../lib/files/lock.ts';
import { sessionPlace } from '../../session/session-place.ts';
import { Objects } from '../../session/undo/objects.ts';
import { foldHistory, readUndoRecords, statesAtStart } from '../../session/undo/undo-log.ts';
import type { Host } from '../host.ts';
import { type Settings, sessionFolder, sessionStore } from '../settings.ts';
import { createScratch, type Scratch } from './scratch.ts';
import { readScript } from './script.ts';

/** Tools that leave a record in the undo log. */
const CHANGING = new Set(['Write', 'Edit', 'MultiEdit', 'Delete']);

export type ReplayPlace = { settings: Settings; host: Host };

export type ReplaySource = Awaited<ReturnType<typeof openSource>>;

/** Everything that is known about a session, and the copy of its folder as it was. */
export async function openSource(wanted: string, { settings, host }: ReplayPlace) {
  const store = sessionStore(settings);
  const id = await store.find(wanted);
  if (id === null)
    throw new UserError(`There is no session "${wanted}".`, 'Run `aca sessions` to list all sessions.');
  const sessions = sessionFolder(settings);
  const cwd = store.folderOf(id) ?? host.cwd;
  const place = sessionPlace({ dataRoot: settings.root, sessions, id, cwd });
  const script = readScript(place);
  const records = place.undoLog === null ? [] : readUndoRecords(place.undoLog);
  const history = foldHistory(records);
  const objects = new Objects(path.join(place.undoFolder, 'objects'), { withheld: () => history.withheld });
  if (isLocked(place.journal))
    script.notes.push(
      'The session is open in another process: what it did after the replay began is missing.',
    );
  const { workingDirectory, messages } = script.session;
  const start = statesAtStart(records);
  const hasChanged = [...script.calls.values()]
    .flat()
    .some(({ result, unrepeatable }) => unrepeatable === null && result.success && CHANGING.has(result.name));
  if (records.length === 0 && hasChanged)
    script.notes.push('The undo data of this session is gone: its files are taken as they are now.');
  return {
    id,
    place,
    script,
    records,
    objects,
    async createScratch(at?: string): Promise<Scratch> {
      const scratch = await createScratch({
        workingDirectory,
        dataRoot: settings.root,
        objects,
        env: host.env,
        ended: messages.at(-1)?.timestamp ?? '',
        known: new Set(start.keys()),
        ...(at !== undefined && { at }),
      });
      try {
        await scratch.set(start);
        return scratch;
      } catch (error) {
        await scratch.remove();
        throw error;
      }
    },
  };
}
