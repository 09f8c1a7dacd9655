/** Whether a command only reads; `reads` are the absolute paths it names. */
export type Look = { type: 'only_looks'; reads: string[] } | { type: 'unsure'; because: string };

export function unsure(because: string): Look {
  return { type: 'unsure', because };
}

export function looks(reads: string[] = []): Look {
  return { type: 'only_looks', reads };
}

/** Read-only only if every part is. */
export function together(all: Look[]): Look {
  const reads: string[] = [];
  for (const look of all) {
    if (look.type === 'unsure') return look;
    reads.push(...look.reads);
  }
  return looks([...new Set(reads)]);
}
