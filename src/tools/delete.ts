import path from 'node:path';
import * as z from 'zod';
import type { Display } from '../contract/display.ts';
import { defineTool, type FileStat, type Files, fail, ok, type ToolContext } from '../contract/tool.ts';
import { diffOf } from '../lib/text/diff-lines.ts';
import { decodeText, detectEncoding } from '../lib/text/text-encoding.ts';
import { FILE_NAMES, FOLDER_NAMES } from './dialects/names.ts';
import type { Refusal } from './editing/plan-edit.ts';

const MAX_LISTED = 200;
const MAX_SHOWN_BYTES = 256 * 1024;

/** `isLink`: a link, or a pipe; `files.remove` finds out. */
type Target = { type: 'target'; entry: FileStat; isLink: boolean };

export const remove = defineTool({
  name: 'Delete',
  aliases: ['delete_file', 'file_delete', 'remove_file', 'remove', 'rm', 'unlink', 'delete_files'],
  argumentAliases: { file_path: [...FILE_NAMES, ...FOLDER_NAMES], recursive: ['-r', '-rf'] },
  ignoredArguments: ['force'],
  description:
    'Delete a file, or a folder with everything in it if recursive is true. ' +
    'A copy is kept, and the user can restore it with /undo.',
  input: () =>
    z.object({
      file_path: z.string().min(1).describe('File or folder'),
      recursive: z.boolean().default(false).describe('Must be true to delete a folder'),
    }),

  title: ({ file_path }, shown) => `Delete ${shown(file_path)}`,
  access: ({ file_path }) => [{ kind: 'write', target: file_path, itself: true }],

  async preview(input, context) {
    const target = await planDelete(input, context);
    if (target.type === 'refused') return { kind: 'refused', error: target.error };
    return show(input.file_path, target, context.files);
  },

  async run(input, context) {
    const { file_path } = input;
    const { files, seen } = context;
    const target = await planDelete(input, context);
    if (target.type === 'refused') return fail(target.error);

    const isFolder = isRealFolder(target);
    const display = await show(file_path, target, files);
    await files.remove(file_path);
    if (!isFolder) seen.delete(target.entry.path);
    const kind = target.isLink ? 'Link' : isFolder ? 'Folder' : 'File';
    return ok(`${kind} deleted successfully; /undo restores it`, {
      display,
      metadata: { path: target.entry.path, deleted: file_path },
    });
  },
});

/** Everything except deleting. */
async function planDelete(
  { file_path, recursive }: { file_path: string; recursive: boolean },
  { files, cwd }: ToolContext,
): Promise<Target | Refusal> {
  const refused = (error: string): Refusal => ({ type: 'refused', error });
  if (path.resolve(cwd, file_path) === path.resolve(cwd))
    return refused('The working directory itself cannot be deleted. Specify a path inside it.');
  const target = await targetAt(file_path, files);
  if (!target) return refused(`${file_path} does not exist. Find it with Glob or List.`);
  if (isRealFolder(target) && !recursive)
    return refused(`${file_path} is a folder. Pass recursive: true to delete it with everything in it.`);
  return target;
}

function isRealFolder({ entry, isLink }: Target): boolean {
  return entry.type === 'directory' && !isLink;
}

async function targetAt(file: string, files: Files): Promise<Target | null> {
  const entry = await files.stat(file, { itself: true });
  return entry && { type: 'target', entry, isLink: entry.type === 'other' };
}

async function show(file: string, { entry, isLink }: Target, files: Files): Promise<Display> {
  if (isLink) return { kind: 'text', text: `${file} (the link, not its target)` };
  if (entry.type === 'directory') return listUnder(entry.path, files);
  if (entry.size > MAX_SHOWN_BYTES) return { kind: 'text', text: `${file} (${entry.size} bytes)` };
  const { bytes } = await files.read(file);
  const encoding = detectEncoding(bytes);
  if (encoding === null) return { kind: 'text', text: `${file} (${entry.size} bytes, binary)` };
  const diff = await diffOf(file, decodeText(bytes, encoding), '');
  return { ...diff, patch: diff.patch.replace(/^\+\+\+ .*$/m, '+++ /dev/null') };
}

/** The content of a folder and the total count. Does not follow links. */
async function listUnder(folder: string, files: Files): Promise<Display> {
  const paths: string[] = [];
  let total = 0;
  const open = [folder];
  for (let next = open.pop(); next !== undefined && total < 10 * MAX_LISTED; next = open.pop()) {
    for (const entry of await files.list(next)) {
      const isFolder = entry.type === 'directory' && !(await isLink(entry, files));
      if (isFolder) open.push(entry.path);
      else if (++total <= MAX_LISTED) paths.push(entry.path);
    }
  }
  return { kind: 'files', paths, total };
}

async function isLink({ path: file }: FileStat, files: Files): Promise<boolean> {
  return (await files.stat(file, { itself: true }))?.type === 'other';
}
