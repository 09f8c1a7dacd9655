import { existsSync } from 'node:fs';
import path from 'node:path';
import { undoPlace } from './undo/undo-place.ts';

/** Where everything of one session is. */
export type SessionPlace = {
  id: string;
  journal: string;
  subagents: string;
  /** Results that were too long for the model. */
  outputs: string;
  undoFolder: string;
  /** Null if the session has changed nothing. */
  undoLog: string | null;
};

type Where = { dataRoot: string; sessions: string; id: string; cwd: string };

export function sessionPlace({ dataRoot, sessions, id, cwd }: Where): SessionPlace {
  const { folder } = undoPlace(dataRoot, { sessionId: id, cwd });
  const log = path.join(folder, `${id}.jsonl`);
  return {
    id,
    journal: path.join(sessions, `${id}.jsonl`),
    subagents: path.join(sessions, `${id}.subagents`),
    outputs: path.join(dataRoot, 'outputs', id),
    undoFolder: folder,
    undoLog: existsSync(log) ? log : null,
  };
}
