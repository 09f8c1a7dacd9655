import type { Look } from '../../src/frontends/terminal/dialogs/look.ts';

/** A theme without styles, for tests that read text. */
export const noLook: Look = {
  plain: {},
  quiet: {},
  border: {},
  title: {},
  accent: {},
  chosen: {},
  warn: {},
  danger: {},
  good: {},
};
