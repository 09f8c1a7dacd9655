/** Part of the line may be missing from what was parsed. */
const lossy = {
  unparsed: 'could not be parsed',
  unparsed_comment: 'a comment could not be parsed',
  unparsed_word: 'a word could not be parsed',
  unparsed_string: 'a quoted string could not be parsed',
  unparsed_test: 'a test could not be parsed',
  unparsed_redirect: 'a redirect could not be parsed',
  unparsed_heredoc: 'a here-document could not be parsed',
  too_long: 'too long to check',
  too_many_commands: 'too many commands to check',
  too_deep: 'nested too deeply to check',
  control_characters: 'contains control characters',
  deceiving_characters: 'contains look-alike characters',
} as const;

/** Everything was parsed, but what it does is not certain. */
const unclear = {
  split_word: 'a word continues on the next line',
  trailing_backslash: 'ends with a backslash',
  open_heredoc: 'a here-document is not closed',
  redirect_without_target: 'a redirect has no target',
  computed_name: 'a command name is computed',
  arithmetic: 'uses shell arithmetic',
  sets_variable: 'sets a shell variable',
  defines_function: 'defines a function',
  may_never_end: 'may never end',
} as const;

const texts = { ...lossy, ...unclear };
const SYNTAX = 'syntax:';

/** What is not understood of a line. `syntax:` precedes the grammar's name of a construct. */
export type Doubt = keyof typeof texts | `${typeof SYNTAX}${string}`;

export function isLossy(doubt: Doubt): boolean {
  return Object.hasOwn(lossy, doubt);
}

/** Whether a part of the line was not looked at, because there is too much of it. */
export function isTooLarge(doubt: Doubt): boolean {
  return doubt.startsWith('too_');
}

/** The reason that a user reads. */
export function doubtText(doubt: Doubt): string {
  return isSyntax(doubt) ? `uses a shell ${doubt.slice(SYNTAX.length).replaceAll('_', ' ')}` : texts[doubt];
}

function isSyntax(doubt: Doubt): doubt is `${typeof SYNTAX}${string}` {
  return doubt.startsWith(SYNTAX);
}
