/** The variables by which programs know their terminal; all others are those of the server. */
export const TERMINAL_VARIABLES = [
  'TERM',
  'COLORTERM',
  'TERM_PROGRAM',
  'TERM_PROGRAM_VERSION',
  'TERM_FEATURES',
  'COLORFGBG',
  'NO_COLOR',
  'FORCE_COLOR',
  'XTERM_VERSION',
  'VTE_VERSION',
  'KITTY_WINDOW_ID',
  'WT_SESSION',
  'STY',
  'TMUX',
] as const;
