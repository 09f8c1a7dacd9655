/** How hard a model thinks before it answers. */
export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** From least to most. */
export const effortLevels = [
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
] as const satisfies readonly Effort[];

/** A chosen effort; `default` leaves it to the vendor. */
export type EffortChoice = Effort | 'default';

/** What a model accepts. Without `none`, its thinking cannot be turned off; without any level, it has no effort setting. */
export type EffortLevels = {
  levels: readonly Effort[];
  default?: Effort;
  /** A prompt may change it without losing the vendor's prompt cache. */
  perMessage?: true;
};

/** For thinking models whose levels are unknown: almost every vendor takes these. */
const COMMON: EffortLevels = { levels: ['low', 'medium', 'high'] };
const NONE: EffortLevels = { levels: [] };

type Thinker = { abilities: { thinking: boolean }; effort?: EffortLevels };

export function effortLevelsOf({ abilities, effort }: Thinker): EffortLevels {
  return abilities.thinking ? (effort ?? COMMON) : NONE;
}

/** The level that a model uses for a requested one: the nearest it has; of two equally near, the lower. */
export function fitEffort(wanted: Effort | undefined, model: Thinker): Effort | undefined {
  if (wanted === undefined) return undefined;
  const rank = effortLevels.indexOf(wanted);
  const distance = (level: Effort) => Math.abs(effortLevels.indexOf(level) - rank);
  const ascending = effortLevels.filter((level) => effortLevelsOf(model).levels.includes(level));
  return ascending.toSorted((a, b) => distance(a) - distance(b))[0];
}

export function isEffort(value: unknown): value is Effort {
  return effortLevels.some((level) => level === value);
}

/** How hard the model thinks. A change applies from the next request on. */
export type EffortSwitch = {
  get(): EffortChoice;
  set(choice: EffortChoice): void;
  /** The current model, and what it accepts. */
  model(): string;
  levels(): EffortLevels;
  /** The level of the current model that is used; undefined for its default, or if it has none. */
  used(): Effort | undefined;
  /** Returns a function that removes the listener. */
  onChange(listener: (choice: EffortChoice) => void): () => void;
};
