import type { PermissionMode } from '../../contract/permission.ts';

/** Claude Code's permission modes. `dontAsk` also needs the setting neverAsk. */
export const claudeModes = {
  default: 'default',
  acceptEdits: 'accept-edits',
  plan: 'plan',
  auto: 'auto',
  dontAsk: 'default',
  bypassPermissions: 'auto',
} as const satisfies Record<string, PermissionMode>;

export type ClaudeMode = keyof typeof claudeModes;
