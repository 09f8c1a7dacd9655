/** What a call must become: the tool and, of its input, at least this; or a refusal that says this. */
export type Meaning =
  | { tool: string; input: Readonly<Record<string, unknown>>; ignored?: string }
  | { refused: RegExp };

export type ForeignCall = [dialect: string, name: string, input: unknown, meaning: Meaning];

export const to = (tool: string, input: Record<string, unknown>, ignored?: string): Meaning => ({
  tool,
  input,
  ...(ignored !== undefined && { ignored }),
});
export const no = (refused: RegExp): Meaning => ({ refused });

export const PATCH = '*** Begin Patch\n*** Update File: src/a.ts\n@@\n-one\n+two\n*** End Patch';
export const patched = to('ApplyPatch', { patch: PATCH });
export const edited = { file_path: 'a.ts', old_string: 'x', new_string: 'y' };
