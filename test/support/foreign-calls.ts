import { claudeAndCodex } from './foreign/claude-and-codex.ts';
import { others } from './foreign/others.ts';
import { published } from './foreign/published.ts';
import { publishedByOthers } from './foreign/published-others.ts';

/** Calls as models write them that know the tools of other assistants, or earlier forms of those. */
export const foreignCalls = [...claudeAndCodex, ...others, ...published, ...publishedByOthers];
