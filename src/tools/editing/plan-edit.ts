import type { FileContent, ToolContext } from '../../contract/tool.ts';
import { detectEncoding, type Encoding } from '../../lib/text/text-encoding.ts';
import { seenBytes } from './seen-files.ts';
import { fromUnits, toUnits } from './units.ts';

/** A text file being edited. */
export type Draft = {
  type: 'draft';
  file: FileContent;
  encoding: Encoding;
  units: string;
  /** What the model saw last, if the file changed since. */
  seenBytes?: Uint8Array;
};

export type Refusal = { type: 'refused'; error: string };

/** Reads a text file to edit. It need not have been read before: knowing its exact text is proof enough. */
export async function openDraft(
  file_path: string,
  context: Pick<ToolContext, 'files' | 'seen'>,
  checksum?: string,
): Promise<Draft | Refusal> {
  const { files, seen } = context;
  const stat = await files.stat(file_path);
  if (!stat) return refusal(`${file_path} does not exist. Find it with Glob, or create it with Write.`);
  if (stat.type === 'directory') return refusal(`${file_path} is a folder. Specify a file in it.`);

  const file = await files.read(file_path);
  const isOther = (hash: string | undefined) => hash !== undefined && hash !== file.sha256;
  const isChanged = isOther(seen.get(file.path));
  const old = isChanged ? seenBytes(context, file.path) : undefined;
  if (isOther(checksum?.toLowerCase()) || (isChanged && !old))
    return refusal(`File modified since last read\nRead ${file_path} again, then repeat the edit.`);
  const encoding = detectEncoding(file.bytes);
  if (encoding === null)
    return refusal(`${file_path} is binary, not text. If you must change it, use a command.`);
  const units = toUnits(file.bytes, encoding);
  return { type: 'draft', file, encoding, units, ...(old && { seenBytes: old }) };
}

/** The bytes of the whole file with new units. */
export function bytesWith(units: string, { encoding, file }: Draft): Uint8Array {
  return fromUnits(units, encoding, file.bytes);
}

function refusal(error: string): Refusal {
  return { type: 'refused', error };
}
