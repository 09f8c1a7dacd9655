/**
 * Rules, by their sentence, that the program does not follow yet. Servers leave them out unless a test asks for
 * `enforce: 'all'`. A rule leaves this set with the change that makes the program follow it.
 */
export const NOT_YET: ReadonlySet<string> = new Set<string>();
