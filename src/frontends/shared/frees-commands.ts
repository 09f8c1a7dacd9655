import type { Answer, PermissionRequest } from '../../contract/permission.ts';

/** Whether it is about a command that the sandbox contains: the user can let all such commands run. */
export function freesCommands({ acceptEdits, accesses }: PermissionRequest): boolean {
  return acceptEdits === true && accesses.every(({ kind }) => kind === 'execute');
}

/** Answers that outlive the session or free other commands; guests of a session do not give them. */
export const FOR_OWNERS: ReadonlySet<string> = new Set<Answer['choice']>(['always', 'sandboxed', 'trust']);
