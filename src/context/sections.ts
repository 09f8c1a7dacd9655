/** The sections of a summary, in this order. */
const SECTIONS = ['Asked', 'Completed', 'Decided', 'Current state', 'Files touched', 'Open'] as const;

type Section = (typeof SECTIONS)[number];

export type Sections = Partial<Record<Section, readonly string[]>>;

/** As `[Completed: …]`, one section per line; empty sections are omitted. */
export function writeSections(sections: Sections): string {
  return SECTIONS.flatMap((name) => {
    const items = sections[name] ?? [];
    return items.length === 0 ? [] : [`[${name}: ${items.join('; ')}]`];
  }).join('\n');
}

const SECTION = new RegExp(`^[^\\p{L}\\p{N}]*(${SECTIONS.join('|')})[^\\p{L}\\p{N}\\n]*(:|$)`, 'imu');

/** Whether a text has at least one of the sections, as `[Completed: …]` or as a heading. */
export function hasSection(text: string): boolean {
  return SECTION.test(text);
}

const BETWEEN = '\n---\n';

/** The rounds of a summary. */
export function roundsOf(summary: string | null): string[] {
  return (summary ?? '').split(BETWEEN).filter((round) => round.trim() !== '');
}

export function joinRounds(rounds: readonly string[]): string {
  return rounds.join(BETWEEN);
}

/** A model's text as one round: it must not look like several. */
export function asRound(text: string): string {
  return text.replaceAll(/^-{3,}[ \t]*$/gm, '').trim();
}
