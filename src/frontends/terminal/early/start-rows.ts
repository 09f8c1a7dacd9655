/** What the first rows of a conversation say. `undefined` is not known yet. */
export type StartFacts = {
  version: string;
  folder: string;
  /** Null outside a repository. */
  branch?: string | null;
  /** With its provider. */
  model?: string;
  /** In words. */
  mode?: string;
  tip: string;
};

const FEWEST = { columns: 40, rows: 16 };

/** Whether there is space for the first rows and the line above the prompt. */
export function isSpacious({ columns, rows }: { columns: number; rows: number }): boolean {
  return columns >= FEWEST.columns && rows >= FEWEST.rows;
}

/** Always as many rows, so that nothing moves when the rest is known. */
export function startRows({ version, folder, branch, model, mode, tip }: StartFacts): string[] {
  return [
    '',
    `ai-code-assistant ${version}`,
    [model, mode].filter(Boolean).join(' · '),
    branch ? `${folder} (${branch})` : folder,
    '',
    tip === '' ? '' : `Tip: ${tip}`,
  ];
}

/** The line above the prompt. */
export function ruleOf(columns: number): string {
  return '─'.repeat(columns);
}
