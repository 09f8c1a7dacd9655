import path from 'node:path';
import type { Suggestion } from '../../contract/command.ts';
import type { Access } from '../../contract/permission.ts';
import { DismissedSuggestions } from '../../memory/dismissed.ts';
import { type Approval, habitsIn } from '../../memory/habits.ts';
import { projectKey } from '../../memory/project-key.ts';
import type { MemoryStore } from '../../memory/store.ts';
import { readAudit } from '../../observability/audit/read-audit.ts';
import type { Parts } from '../parts.ts';

export type SuggestionDeps = {
  /** The rules that would make asking about such a call unnecessary. */
  offers(tool: string, accesses: readonly Access[]): Promise<readonly string[]>;
  /** As if the user had answered "always". */
  allowAlways(rule: string): Promise<void>;
  addInstruction(line: string): Promise<void>;
};

type Sources = SuggestionDeps & { store: MemoryStore; isOurs(folder: string): boolean };

const MAX_ENTRIES = 20_000;
/** A note used this often and never removed counts as a convention. */
const SETTLED = 3;

/**
 * Suggestions: rules for what was approved repeatedly in this project, notes that became conventions, and
 * lines for AGENTS.md that the user has said.
 */
export function createSuggestions(parts: Parts, sources: Sources): () => Promise<Suggestion[]> {
  const { offers, allowAlways, addInstruction, store, isOurs } = sources;
  const file = path.join(parts.dataRoot, 'audit.jsonl');
  const project = path.join(store.folder, 'projects', projectKey(parts.cwd));
  const dismissed = new DismissedSuggestions(path.join(project, '.dismissed.jsonl'));

  async function rules(): Promise<Suggestion[]> {
    const entries = await readAudit(file, { tail: MAX_ENTRIES });
    const unwanted = dismissed.all();
    const approvals: Approval[] = [];
    for (const { tool, accesses, verdict, by, cwd, time } of entries) {
      const isCommand = accesses.some(({ kind }) => kind === 'execute');
      const isWhole = accesses.every(({ target }) => !target.includes('[secret:'));
      if (verdict !== 'allow' || by !== 'user' || !isCommand || !isWhole || !isOurs(cwd)) continue;
      for (const rule of await offers(tool, accesses))
        if (time > (unwanted.get(rule) ?? '')) approvals.push({ rule, at: time });
    }
    return habitsIn(approvals).map(({ rule, times, last }) => ({
      what: 'rule',
      text: rule,
      because: `approved ${times} times, last on ${last.slice(0, 10)}`,
      apply: () => allowAlways(rule),
      dismiss: async () => dismissed.add(rule),
    }));
  }

  function conventions(): Suggestion[] {
    const unwanted = dismissed.all();
    return store
      .list()
      .filter(({ kind, uses, pinned }) => !pinned && uses >= SETTLED && ['user', 'decisions'].includes(kind))
      .filter(({ text }) => !unwanted.has(text))
      .map((note) => ({
        what: 'convention',
        text: note.text,
        because: `used in ${note.uses} sessions`,
        apply: async () => void (await store.replace(note, (entry) => ({ ...entry, pinned: true }))),
        dismiss: async () => dismissed.add(note.text),
      }));
  }

  function instructions(): Suggestion[] {
    return store
      .list()
      .filter(({ kind }) => kind === 'corrections')
      .map((note) => {
        const remove = async () => void (await store.replace(note, () => null));
        return {
          what: 'instruction',
          text: note.text,
          because: note.date === null ? 'you said so' : `you said so on ${note.date}`,
          apply: async () => {
            await addInstruction(note.text);
            await remove();
          },
          dismiss: remove,
        };
      });
  }

  return async () => [...(await rules()), ...conventions(), ...instructions()];
}
