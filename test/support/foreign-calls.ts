import { claudeAndCodex } from './foreign/claude-and-codex.ts';
import { others } from './foreign/others.ts';

/** Calls as models write them that know the tools of other assistants, or earlier forms of those. */
export const foreignCalls = [...claudeAndCodex, ...others];
