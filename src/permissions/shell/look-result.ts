/**
 * Whether a command may run unasked. `reads` are the absolute paths it names; `runsScript` marks a script of a trusted
 * project, which may do more than read.
 */
export type Look =
  | { type: 'only_looks'; reads: string[]; runsScript?: true }
  | { type: 'unsure'; because: string };

export function unsure(because: string): Look {
  return { type: 'unsure', because };
}

export function looks(reads: string[] = []): Look & { type: 'only_looks' } {
  return { type: 'only_looks', reads };
}

/** Free only if every part is. */
export function together(all: Look[]): Look {
  const reads: string[] = [];
  let runsScript = false;
  for (const look of all) {
    if (look.type === 'unsure') return look;
    reads.push(...look.reads);
    runsScript ||= look.runsScript === true;
  }
  return { ...looks([...new Set(reads)]), ...(runsScript && { runsScript }) };
}
