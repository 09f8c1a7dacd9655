import type { AgentEvent } from '../../contract/event.ts';
import { obviousReasons, type PermissionRequest, userDenied } from '../../contract/permission.ts';

/** Why approval is needed; empty where the operation itself says it. */
export function reasonLine({ because }: Pick<PermissionRequest, 'because'>): string {
  const isObvious = Object.values<string>(obviousReasons).includes(because);
  return because === '' || isObvious ? '' : `Reason: ${because}`;
}

/** What the model says that a command does: its claim, not a reason. Empty if it says nothing. */
export function claimLine({ claim = '' }: Pick<PermissionRequest, 'claim'>): string {
  return claim === '' ? '' : `The model says: ${claim}`;
}

/** Why a call did not run, for the user. */
export function refusalLine({
  by,
  because,
}: Pick<Extract<AgentEvent, { type: 'judged' }>, 'by' | 'because'>): string {
  if (by === 'user') return because.replace(userDenied, 'You declined this');
  return `refused: ${because}`;
}
