import * as z from 'zod';
import { defineTool, fail, ok, type ToolContext } from '../contract/tool.ts';
import { sha256 } from '../lib/sha256.ts';
import type { LineDiff } from '../lib/text/diff-lines.ts';
import { adaptEdit } from './dialects/adapt-editing.ts';
import { FILE_NAMES, NEW_TEXT_NAMES, OLD_TEXT_NAMES } from './dialects/names.ts';
import { applyMeant } from './editing/apply-meant.ts';
import { checkChange } from './editing/changed-since.ts';
import { brokenIn, resultingLines } from './editing/edit-feedback.ts';
import { bytesWith, type Draft, openDraft, type Refusal } from './editing/plan-edit.ts';
import { noteSeen } from './editing/seen-files.ts';
import { showChange } from './editing/show-change.ts';

const input = () =>
  z.object({
    file_path: z.string().min(1).describe('File to change'),
    old_string: z.string().describe('Exact text to replace, without line numbers; unique unless replace_all'),
    new_string: z.string().describe('Replacement text'),
    replace_all: z.boolean().default(false).describe('Replace every occurrence'),
    checksum: z.string().optional().describe('SHA-256 the file must still have'),
  });

type EditInput = z.output<ReturnType<typeof input>>;
type Planned = { type: 'edit'; draft: Draft; units: string; count: number; notes: string[] } | Refusal;

export const edit = defineTool({
  name: 'Edit',
  aliases: [
    ...['edit_file', 'file_edit', 'str_replace', 'str_replace_editor', 'str_replace_based_edit_tool'],
    ...['replace', 'replace_in_file', 'search_replace', 'search_and_replace', 'apply_diff'],
  ],
  argumentAliases: {
    file_path: FILE_NAMES,
    old_string: OLD_TEXT_NAMES,
    new_string: NEW_TEXT_NAMES,
    replace_all: ['allow_multiple'],
  },
  ignoredArguments: ['instruction', 'instructions'],
  adapt: adaptEdit,
  description:
    'Replace exact text in a file; everything else stays byte for byte, encoding and line endings included. ' +
    'Include enough surrounding lines in old_string to match exactly one place.',
  input,

  title: ({ file_path }, shown) => `Edit ${shown(file_path)}`,
  access: ({ file_path }) => [{ kind: 'write', target: file_path }],

  async preview(edit, context) {
    const plan = await planEdit(edit, context);
    if (plan.type === 'refused') return { kind: 'refused', error: plan.error };
    return showPlan(edit.file_path, plan);
  },

  async run(edit, context) {
    const plan = await planEdit(edit, context);
    if (plan.type === 'refused') return fail(plan.error);

    const { draft, units, count, notes } = plan;
    const bytes = bytesWith(units, draft);
    await context.files.write(edit.file_path, bytes, draft.file);
    const hash = sha256(bytes);
    noteSeen(context, { path: draft.file.path, bytes, sha256: hash });
    const display = await showPlan(edit.file_path, plan);
    const lines = notes.length > 0 || count > 1 ? [resultingLines(display.patch)] : [];
    const broken = await brokenIn(edit.file_path, { draft, after: units }, context);
    return ok(['File updated successfully', ...notes, ...broken, ...lines].join('\n'), {
      display,
      metadata: { path: draft.file.path, replacements: count, sha256: hash },
    });
  },
});

/** Everything except writing. */
async function planEdit(edit: EditInput, context: ToolContext): Promise<Planned> {
  const draft = await openDraft(edit.file_path, context, edit.checksum);
  if (draft.type === 'refused') return draft;
  const edited = applyMeant(draft.units, draft.encoding, edit);
  if (edited.type === 'refused') return edited;
  const check = await checkChange(draft, edit.file_path, [edit.old_string]);
  if ('error' in check) return check;
  return { ...edited, type: 'edit', draft, notes: [...edited.notes, ...check.notes] };
}

function showPlan(path: string, { draft, units }: { draft: Draft; units: string }): Promise<LineDiff> {
  return showChange(path, { before: draft.units, after: units, encoding: draft.encoding });
}
