import path from 'node:path';
import * as z from 'zod';
import type { Display } from '../contract/display.ts';
import { defineTool, type FileWrite, fail, ok, type ToolContext } from '../contract/tool.ts';
import { sha256 } from '../lib/sha256.ts';
import { diffOf, type LineDiff } from '../lib/text/diff-lines.ts';
import { encodeText } from '../lib/text/text-encoding.ts';
import { applyHunks } from './editing/apply-hunks.ts';
import { checkChange } from './editing/changed-since.ts';
import { brokenBy, brokenIn } from './editing/edit-feedback.ts';
import { type PatchChange, parsePatch } from './editing/parse-patch.ts';
import { bytesWith, openDraft, type Refusal } from './editing/plan-edit.ts';
import { noteSeen } from './editing/seen-files.ts';
import { showChange } from './editing/show-change.ts';

const input = () =>
  z.object({
    patch: z.string().min(1).describe('From *** Begin Patch to *** End Patch'),
    working_directory: z.string().min(1).optional().describe('What the paths are relative to'),
  });

type Input = z.output<ReturnType<typeof input>>;
/** Files whose new text is parsed. */
const MOST_CHECKED = 20;

type Plan = {
  type: 'plan';
  writes: FileWrite[];
  removed: string[];
  diffs: LineDiff[];
  notes: string[];
  /** What to say of files that no longer parse. */
  checks: (() => Promise<string[]>)[];
};

/** The patch format that some models are trained on. Every file is changed, or none. */
export const applyPatch = defineTool({
  name: 'ApplyPatch',
  aliases: ['patch', 'apply_patch_tool'],
  argumentAliases: {
    patch: ['input', 'diff', 'patch_text', 'content'],
    working_directory: ['workdir', 'cwd', 'directory', 'dir_path'],
  },
  isHidden: true,
  description: 'Add, change, move and delete files with a patch.',
  input,

  title: (wanted, shown) =>
    `Patch ${targetsOf(wanted)
      .map(({ target }) => shown(target))
      .join(', ')}`,
  access: (wanted) => targetsOf(wanted).map((one) => ({ kind: 'write', ...one })),

  async preview(wanted, context) {
    const plan = await planPatch(wanted, context);
    return plan.type === 'refused' ? { kind: 'refused', error: plan.error } : displayOf(plan);
  },

  async run(wanted, context) {
    const plan = await planPatch(wanted, context);
    if (plan.type === 'refused') return fail(plan.error);
    const { files } = context;
    await files.writeAll(plan.writes);
    for (const { path: file, bytes } of plan.writes)
      noteSeen(context, { path: (await files.stat(file))?.path ?? file, bytes, sha256: sha256(bytes) });
    for (const file of plan.removed) await files.remove(file);
    const done = plan.diffs.map((diff) => diff.path).join(', ');
    const notes = [...plan.notes];
    for (const check of plan.checks.slice(0, MOST_CHECKED)) notes.push(...(await check()));
    return ok([`Patch applied: ${done}`, ...notes].join('\n'), { display: displayOf(plan) });
  },
});

function changesIn({ patch, working_directory = '' }: Input): PatchChange[] {
  const parsed = parsePatch(patch);
  const within = (file: string) => (path.isAbsolute(file) ? file : path.join(working_directory, file));
  if ('error' in parsed) return [];
  return parsed.changes.map((change) => ({
    ...change,
    path: within(change.path),
    ...(change.type === 'update' && change.moveTo !== undefined && { moveTo: within(change.moveTo) }),
  }));
}

function targetsOf(wanted: Input): { target: string; itself?: true }[] {
  return changesIn(wanted).flatMap((change) => {
    if (change.type === 'delete') return [{ target: change.path, itself: true as const }];
    const moved = change.type === 'update' && change.moveTo !== undefined ? [{ target: change.moveTo }] : [];
    return [{ target: change.path }, ...moved];
  });
}

async function planPatch(wanted: Input, context: ToolContext): Promise<Plan | Refusal> {
  const parsed = parsePatch(wanted.patch);
  if ('error' in parsed) return refused(`Nothing was changed: ${parsed.error}`);
  const plan: Plan = { type: 'plan', writes: [], removed: [], diffs: [], notes: [], checks: [] };
  const changes = changesIn(wanted);
  const paths = changes.map((change) => path.resolve(context.cwd, change.path));
  if (new Set(paths).size < paths.length)
    return refused('Nothing was changed: a file is named twice. Put its hunks under one header.');
  for (const change of changes) {
    const trouble = await planChange(change, plan, context);
    if (trouble !== null) return refused(`Nothing was changed. ${change.path}: ${trouble}`);
  }
  return plan;
}

/** Why it is impossible, or null. */
async function planChange(change: PatchChange, plan: Plan, context: ToolContext): Promise<string | null> {
  const { files } = context;
  const stat = await files.stat(change.path);
  if (change.type === 'add') {
    if (stat) return 'it already exists. Use Update File.';
    const text = change.lines.map((line) => `${line}\n`).join('');
    const bytes = encodeText(text, 'utf-8');
    if (bytes === null) return 'the text contains half of a character.';
    plan.writes.push({ path: change.path, bytes, was: null });
    plan.diffs.push(await diffOf(change.path, null, text));
    plan.checks.push(() => brokenBy(change.path, { before: null, after: text }, context));
    return null;
  }
  const draft = await openDraft(change.path, context);
  if (draft.type === 'refused') return draft.error;
  const shown = (after: string) => ({ before: draft.units, after, encoding: draft.encoding });
  if (change.type === 'delete') {
    plan.removed.push(change.path);
    plan.diffs.push(await showChange(change.path, shown('')));
    return null;
  }
  const edited =
    change.hunks.length === 0
      ? { type: 'edited' as const, units: draft.units }
      : applyHunks(draft.units, draft.encoding, change.hunks);
  if (edited.type === 'refused') return edited.error;
  const old = change.hunks.map((hunk) => hunk.old.join('\n'));
  const check = await checkChange(draft, change.path, old);
  if ('error' in check) return check.error;
  plan.notes.push(...check.notes);
  plan.checks.push(() => brokenIn(change.path, { draft, after: edited.units }, context));
  const bytes = bytesWith(edited.units, draft);
  const { moveTo } = change;
  if (moveTo === undefined) plan.writes.push({ path: draft.file.path, bytes, was: draft.file });
  else {
    if (await files.stat(moveTo)) return `${moveTo} already exists.`;
    plan.writes.push({ path: moveTo, bytes, was: null });
    plan.removed.push(change.path);
  }
  plan.diffs.push(await showChange(moveTo ?? change.path, shown(edited.units)));
  return null;
}

function refused(error: string): Refusal {
  return { type: 'refused', error };
}

function displayOf({ diffs }: Plan): Display {
  return {
    kind: 'diffs',
    diffs: diffs.map(({ path: file, patch, added, removed }) => ({ path: file, patch, added, removed })),
  };
}
