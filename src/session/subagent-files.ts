import { cpSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Session, SubagentOrigin } from '../contract/session.ts';
import { unlessErrno } from '../lib/files/errno.ts';
import { sha256 } from '../lib/sha256.ts';
import { compareText } from '../lib/text/compare.ts';
import { Journal } from './journal.ts';
import { loadJournal } from './load.ts';
import type { Folded } from './records.ts';

/** A subagent's conversation and its journal. */
export type OpenSubagent = { session: Session; journal: Journal; unfinished: Folded['unfinished'] };

/** The conversations of a session's subagents, one file each, in a folder next to the session file. */
export type SubagentFiles = {
  /** A new one. Its file is created with its first record. */
  create(origin: SubagentOrigin, place: Pick<Session, 'workingDirectory' | 'settings'>): OpenSubagent;
  /** An earlier one, to continue. Null if there is none. */
  open(id: string): Promise<OpenSubagent | null>;
  /** All of them, oldest first. */
  all(): Promise<Session[]>;
  remove(): void;
  copyFrom(other: string): void;
};

/** Deterministic per call, so that its result is found after the process has died. */
export function subagentId({ parent = '', callId }: Pick<SubagentOrigin, 'parent' | 'callId'>): string {
  return sha256(`${parent}/${callId}`).slice(0, 10);
}

export function subagentFiles(folder: string): SubagentFiles {
  const fileOf = (id: string) => path.join(folder, `${id}.jsonl`);
  const ids = () => namesIn(folder).flatMap((name) => /^([0-9a-f]+(?:-\d+)?)\.jsonl$/.exec(name)?.[1] ?? []);

  /** A vendor with counter-like ids reuses one after a rewind: the existing file is another conversation. */
  function setAside(id: string): void {
    const known = new Set(ids());
    if (!known.has(id)) return;
    let number = 2;
    while (known.has(`${id}-${number}`)) number += 1;
    renameSync(fileOf(id), fileOf(`${id}-${number}`));
  }

  async function read(id: string): Promise<(Folded & { session: Session }) | null> {
    if (!ids().includes(id)) return null;
    const loaded = loadJournal(fileOf(id));
    await loaded?.ready;
    return loaded;
  }

  return {
    create(origin, { workingDirectory, settings }) {
      const id = subagentId(origin);
      setAside(id);
      const startedAt = new Date().toISOString();
      const place = { id, workingDirectory, startedAt, settings };
      return {
        session: { ...place, messages: [], permissions: [], subagent: origin },
        journal: new Journal(fileOf(id)),
        unfinished: { started: new Set(), answered: new Map() },
      };
    },
    async open(id) {
      const loaded = await read(id);
      return (
        loaded && {
          session: loaded.session,
          journal: new Journal(fileOf(id)),
          unfinished: loaded.unfinished,
        }
      );
    },
    async all() {
      const found = await Promise.all(ids().map(read));
      const sessions = found.flatMap((loaded) => (loaded?.session.subagent ? [loaded.session] : []));
      return sessions.sort((a, b) => compareText(a.startedAt, b.startedAt));
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
    copyFrom(other) {
      if (namesIn(other).length > 0) cpSync(other, folder, { recursive: true });
    },
  };
}

function namesIn(folder: string): string[] {
  return unlessErrno(['ENOENT'], [], () => readdirSync(folder));
}
