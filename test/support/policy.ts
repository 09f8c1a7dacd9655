import path from 'node:path';
import type { Policy } from '../../src/permissions/policy.ts';

/** A tool for each kind of access, as rules name it. */
export const toolsByKind = {
  read: 'Read',
  write: 'Edit',
  execute: 'Bash',
  fetch: 'WebFetch',
  search: 'WebSearch',
  delegate: 'Task',
};

/** The default policy in this folder, without a known sandbox. */
export function plainPolicy(cwd: string): Policy {
  return {
    mode: 'default',
    cwd,
    rules: { allow: [], ask: [], deny: [] },
    grants: [],
    requireApprovalForWrites: true,
    requireApprovalForCommands: true,
    blockedCommands: [],
    trusted: false,
    sandbox: null,
    sandboxRequired: false,
    sandboxAutoApprove: false,
    isInside: (file) => `${path.resolve(file)}/`.startsWith(`${cwd}/`),
    realOf: (file) => path.resolve(file),
    reach: (file) => {
      const real = path.resolve(file);
      const isOpen = `${real}/`.startsWith(`${cwd}/`);
      const because = `it is outside the working directory ${cwd}`;
      return isOpen ? { type: 'open', real } : { type: 'outside', real, isFolder: false, because };
    },
  };
}
