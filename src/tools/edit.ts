import * as z from 'zod';
import { defineTool, fail, ok, type ToolContext } from '../contract/tool.ts';
import { sha256 } from '../lib/sha256.ts';
import type { LineDiff } from '../lib/text/diff-lines.ts';
import { applyEdit } from './editing/apply-edit.ts';
import { bytesWith, type Draft, openDraft, type Refusal } from './editing/plan-edit.ts';
import { showChange } from './editing/show-change.ts';

const input = () =>
  z.object({
    file_path: z.string().min(1).describe('File to change, absolute or relative to the working directory'),
    old_string: z.string().describe('Exact text to replace, without line numbers; unique unless replace_all'),
    new_string: z.string().describe('Replacement text'),
    replace_all: z.boolean().default(false).describe('Replace every occurrence'),
    checksum: z.string().optional().describe('SHA-256 the file must still have'),
  });

type EditInput = z.output<ReturnType<typeof input>>;
type Planned = { type: 'edit'; draft: Draft; units: string; count: number; notes: string[] } | Refusal;

export const edit = defineTool({
  name: 'Edit',
  aliases: ['edit_file', 'file_edit', 'str_replace', 'str_replace_editor', 'replace', 'replace_in_file'],
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
    context.seen.set(draft.file.path, hash);
    return ok(['File updated successfully', ...notes].join('\n'), {
      display: await showPlan(edit.file_path, plan),
      metadata: { path: draft.file.path, replacements: count, sha256: hash },
    });
  },
});

/** Everything except writing. */
async function planEdit(edit: EditInput, context: ToolContext): Promise<Planned> {
  const draft = await openDraft(edit.file_path, context, edit.checksum);
  if (draft.type === 'refused') return draft;
  const edited = applyEdit(draft.units, draft.encoding, edit);
  if (edited.type === 'refused') return edited;
  return { ...edited, type: 'edit', draft };
}

function showPlan(path: string, { draft, units }: { draft: Draft; units: string }): Promise<LineDiff> {
  return showChange(path, { before: draft.units, after: units, encoding: draft.encoding });
}
