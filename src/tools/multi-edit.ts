import * as z from 'zod';
import type { Display } from '../contract/display.ts';
import { defineTool, fail, ok, type ToolContext } from '../contract/tool.ts';
import { sha256 } from '../lib/sha256.ts';
import { adaptMultiEdit } from './dialects/adapt-editing.ts';
import { FILE_NAMES, NEW_TEXT_NAMES, OLD_TEXT_NAMES } from './dialects/names.ts';
import { applyMeant } from './editing/apply-meant.ts';
import { checkChange } from './editing/changed-since.ts';
import { brokenIn, resultingLines } from './editing/edit-feedback.ts';
import { bytesWith, type Draft, openDraft, type Refusal } from './editing/plan-edit.ts';
import { noteSeen } from './editing/seen-files.ts';
import { showChange } from './editing/show-change.ts';

const input = () =>
  z.object({
    edits: z
      .array(
        z.strictObject({
          file_path: z.string().min(1).describe('File to change'),
          old_string: z.string().describe('Exact text to replace, as it is after the previous edits'),
          new_string: z.string().describe('Replacement text'),
          replace_all: z.boolean().default(false).describe('Replace every occurrence'),
        }),
      )
      .min(1)
      .describe('Applied in this order'),
  });

type Edit = z.output<ReturnType<typeof input>>['edits'][number];
type Change = { file_path: string; draft: Draft; units: string; bytes: Uint8Array };
type Planned = { type: 'changes'; changes: Change[]; notes: string[] } | Refusal;

export const multiEdit = defineTool({
  name: 'MultiEdit',
  aliases: ['edit_files', 'edit_multiple', 'apply_edits', 'multi_edit_file'],
  argumentAliases: {
    edits: ['changes', 'operations', 'replacements'],
    file_path: FILE_NAMES,
    old_string: OLD_TEXT_NAMES,
    new_string: NEW_TEXT_NAMES,
  },
  ignoredArguments: ['instruction', 'instructions'],
  adapt: adaptMultiEdit,
  description:
    'Make several replacements in one or more files as one change: either all of them are made or none. ' +
    'Each works like Edit, on the result of the previous edits.',
  input,

  title: ({ edits }, shown) => `Edit ${targetsOf(edits).map(shown).join(', ')}`,
  access: ({ edits }) => targetsOf(edits).map((target) => ({ kind: 'write', target })),

  async preview({ edits }, context) {
    const plan = await planEdits(edits, context);
    return plan.type === 'refused' ? { kind: 'refused', error: plan.error } : showChanges(plan.changes);
  },

  async run({ edits }, context) {
    const plan = await planEdits(edits, context);
    if (plan.type === 'refused') return fail(plan.error);

    const { changes, notes } = plan;
    await context.files.writeAll(
      changes.map(({ draft, bytes }) => ({ path: draft.file.path, bytes, was: draft.file })),
    );
    const written = changes.map(({ draft, bytes }) => ({ path: draft.file.path, sha256: sha256(bytes) }));
    for (const { draft, bytes } of changes)
      noteSeen(context, { path: draft.file.path, bytes, sha256: sha256(bytes) });
    const display = await showChanges(changes);
    const isPlain = edits.length === 1 && notes.length === 0;
    const lines = isPlain ? [] : display.diffs.map(({ path, patch }) => `${path}: ${resultingLines(patch)}`);
    const broken = await Promise.all(
      changes.map(({ file_path, draft, units }) => brokenIn(file_path, { draft, after: units }, context)),
    );
    const files = changes.map(({ file_path }) => file_path);
    const made = `${edits.length} ${edits.length === 1 ? 'edit' : 'edits'} made in ${files.join(', ')}`;
    return ok(
      [
        `${files.length === 1 ? 'File' : 'Files'} updated successfully: ${made}`,
        ...notes,
        ...broken.flat(),
        ...lines,
      ].join('\n'),
      {
        display,
        metadata: { files: written },
      },
    );
  },
});

function targetsOf(edits: readonly Edit[]): string[] {
  return [...new Set(edits.map(({ file_path }) => file_path))];
}

/** Everything except writing. Two names of one file are one file. */
async function planEdits(edits: readonly Edit[], context: ToolContext): Promise<Planned> {
  const realPaths = new Map<string, string>();
  const drafts = new Map<string, Omit<Change, 'bytes'>>();
  const notes: string[] = [];
  for (const [i, edit] of edits.entries()) {
    const { file_path } = edit;
    let known = drafts.get(realPaths.get(file_path) ?? '');
    if (!known) {
      const draft = await openDraft(file_path, context);
      if (draft.type === 'refused') return refusal(i, edits, draft.error);
      realPaths.set(file_path, draft.file.path);
      known = drafts.get(draft.file.path) ?? { file_path, draft, units: draft.units };
    }
    const { draft } = known;
    const edited = applyMeant(known.units, draft.encoding, edit);
    if (edited.type === 'refused') return refusal(i, edits, edited.error);
    const check = await checkChange(draft, file_path, [edit.old_string]);
    if ('error' in check) return refusal(i, edits, check.error);
    drafts.set(draft.file.path, { ...known, units: edited.units });
    notes.push(...[...edited.notes, ...check.notes].map((note) => `Edit ${i + 1}: ${note}`));
  }
  const changes = [...drafts.values()]
    .filter(({ draft, units }) => units !== draft.units)
    .map((item) => ({ ...item, bytes: bytesWith(item.units, item.draft) }));
  if (changes.length === 0)
    return { type: 'refused', error: 'The edits cancel each other out; there is nothing to change.' };
  return { type: 'changes', changes, notes };
}

function refusal(index: number, edits: readonly Edit[], why: string): Refusal {
  const which = `Edit ${index + 1} of ${edits.length} (${edits[index]?.file_path}) failed`;
  return { type: 'refused', error: `${which}, so no edit was made: ${why}` };
}

async function showChanges(changes: readonly Change[]): Promise<Extract<Display, { kind: 'diffs' }>> {
  const diffs = [];
  for (const { file_path, draft, units } of changes) {
    const change = { before: draft.units, after: units, encoding: draft.encoding };
    const { path, patch, added, removed } = await showChange(file_path, change);
    diffs.push({ path, patch, added, removed });
  }
  return { kind: 'diffs', diffs };
}
