import path from 'node:path';
import type { Access } from '../contract/permission.ts';

/**
 * Whether two calls must not run in parallel: one changes what the other touches, or is a command that might.
 */
export function accessesConflict(a: readonly Access[], b: readonly Access[]): boolean {
  return a.some((one) => b.some((other) => clash(one, other)));
}

function clash(a: Access, b: Access): boolean {
  const kinds = [a.kind, b.kind];
  if (kinds.includes('fetch') || kinds.includes('search')) return false;
  // Subagents run in parallel; each re-reads a file before writing it.
  if (kinds.includes('delegate')) return kinds.includes('write') || kinds.includes('execute');
  if (kinds.includes('execute')) return true;
  if (a.kind === 'read' && b.kind === 'read') return false;
  return within(a.target, b.target) || within(b.target, a.target);
}

function within(inner: string, outer: string): boolean {
  const relative = path.relative(path.resolve(outer), path.resolve(inner));
  return (
    relative === '' ||
    !(relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative))
  );
}
