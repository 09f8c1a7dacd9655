import type { Look } from '../../src/frontends/terminal/dialogs/look.ts';

/** A theme that changes nothing, for tests that read words. */
export const noLook: Look = {
  plain: {},
  quiet: {},
  title: {},
  accent: {},
  chosen: {},
  warn: {},
  danger: {},
  good: {},
};
