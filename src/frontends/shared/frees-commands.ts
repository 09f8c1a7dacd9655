import type { PermissionRequest } from '../../contract/permission.ts';

/** Whether it is about a command that the sandbox contains: the user can let all such commands run. */
export function freesCommands({ acceptEdits, accesses }: PermissionRequest): boolean {
  return acceptEdits === true && accesses.every(({ kind }) => kind === 'execute');
}
