/** A model of Anthropic: `claude-sonnet-5-5` is version 5.5 of the line Sonnet. */
export type Claude = { line: 'fable' | 'mythos' | 'opus' | 'sonnet' | 'haiku'; version: number };

/** Undefined for models of others and for invented names, to which no rule about one model applies. */
export function claudeOf(model: string): Claude | undefined {
  const match =
    /claude-(?:(\d)(?:[-.](\d))?-)?(fable|mythos|opus|sonnet|haiku)(?:-(\d)(?:[-.](\d)(?!\d))?(?!\d))?/.exec(
      model,
    );
  if (!match) return undefined;
  const [, oldMajor, oldMinor, line, major = oldMajor, minor = oldMinor ?? '0'] = match;
  if (major === undefined) return undefined;
  return { line: line as Claude['line'], version: Number(`${major}.${minor}`) };
}

type Since = Partial<Record<Claude['line'], number>>;

/** Whether a model is of this version of its line or later; lines that are not named have no such version. */
function isSince(claude: Claude | undefined, since: Since): boolean {
  const first = claude && since[claude.line];
  return claude !== undefined && first !== undefined && claude.version >= first;
}

const everyLine = (version: number): Since => ({
  fable: version,
  mythos: version,
  opus: version,
  sonnet: version,
  haiku: version,
});

export type Ability = (claude: Claude | undefined) => boolean;
const since =
  (first: Since): Ability =>
  (claude) =>
    isSince(claude, first);

export const isFableOrMythos: Ability = (claude) => claude?.line === 'fable' || claude?.line === 'mythos';
/** Adaptive thinking. */
export const adapts = since(everyLine(4.6));
/** Thinking unless the request says otherwise. */
export const thinksByDefault = since(everyLine(5));
/** `thinking.type: "enabled"` with a budget is gone. */
export const hasNoBudget = since(everyLine(4.7));
/** The thinking of a reply is hidden unless `display` asks for it. */
export const omitsByDefault = since(everyLine(4.7));
export const rejectsSampling = since(everyLine(4.7));
export const rejectsForcedTools = since({ opus: 5.5, sonnet: 5.5, fable: 5.1, mythos: 5.1 });
/** System messages, tool changes. */
export const takesSystemMessages = since({ opus: 4.8, sonnet: 5.5, haiku: 5.5, fable: 5, mythos: 5 });
export const takesEffortPerMessage = since({ opus: 5, sonnet: 5.5, fable: 5.1, mythos: 5.1 });
export const compacts = since({ opus: 4.6, sonnet: 4.6, fable: 5, mythos: 5 });
/** Binds its thinking to what came before it. */
export const bindsThinking = since({ opus: 5.5, sonnet: 5.5, haiku: 5.5, fable: 5.1, mythos: 5.1 });
export const takesFastMode: Ability = (claude) =>
  claude?.line === 'opus' && [4.6, 4.8, 5, 5.5].includes(claude.version);

export function windowOf(claude: Claude | undefined): number {
  return isSince(claude, { opus: 4.6, sonnet: 4.6, haiku: 5.5, fable: 5, mythos: 5 }) ? 1_000_000 : 200_000;
}

/** Values of `output_config.effort`; none at all on models that have no effort. */
export function effortsOf(claude: Claude): readonly string[] {
  const { line, version } = claude;
  if (version < 4.5 || (version < 4.6 && line !== 'opus')) return [];
  if (version < 4.6) return ['low', 'medium', 'high'];
  if (version < 4.7) return ['low', 'medium', 'high', 'max'];
  return ['low', 'medium', 'high', 'xhigh', 'max'];
}

/** Whose thinking a model can read. What it cannot read is dropped, without an error. */
export function canRead(reader: Claude, maker: Claude): boolean {
  if (reader.line === maker.line && reader.version === maker.version) return true;
  if (isFableOrMythos(maker)) return isFableOrMythos(reader) && reader.version >= maker.version;
  if (isFableOrMythos(reader)) return reader.version >= 5.1 || maker.version <= reader.version;
  if (reader.line === 'haiku') return reader.version < 5.5 && maker.version <= reader.version;
  if (maker.line === 'haiku') return true;
  if (reader.line === 'sonnet' && reader.version === 5.5)
    return maker.line === 'sonnet' || maker.version <= 4.8;
  return maker.version <= reader.version;
}
