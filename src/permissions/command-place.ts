import type { Opening, Permission } from '../contract/permission.ts';
import { matchesAccess, parseGrant, parsePattern, type Subject } from './pattern.ts';
import { isFallback, type Policy, realPlace } from './policy.ts';
import { type Classified, classify } from './shell/classify.ts';
import type { Place } from './shell/look.ts';

/**
 * For the command judge. Commands may read what the user opened for reading. In a mode without changes, or
 * without a sandbox, a project's own scripts are not trusted to be read-only.
 */
export function placeOf(policy: Policy): Place {
  return placeWith(policy, (file) => isOpenedForReading(file, policy));
}

/**
 * Paths outside the working directory that a command would read, if those reads are all that needs approval.
 */
export function outsideReads(line: string, classified: Classified, policy: Policy): Opening[] {
  const isFree = classified.verdict === 'allow';
  const openWorld = () => placeWith(policy, () => true);
  const { verdict, reads } = isFree ? classified : classify(line, openWorld());
  if (verdict !== 'allow') return [];
  return reads.flatMap((file): Opening[] => {
    const reach = policy.reach(file, 'read');
    return reach.type === 'outside' ? [{ path: reach.real, mode: 'read' }] : [];
  });
}

function placeWith(policy: Policy, isOpened: (file: string) => boolean): Place {
  const quiet = policy.mode === 'plan' || policy.mode === 'read-only';
  const isOpenOutside = (file: string) => policy.reach(file, 'read').type === 'outside' && isOpened(file);
  return {
    ...policy,
    trusted: policy.trusted && !quiet && !isFallback(policy),
    isInside: (file) => policy.isInside(file) || isOpenOutside(file),
    ...(policy.sandbox && {
      walls: policy.sandbox.kind === 'host' ? ('none' as const) : ('sandbox' as const),
    }),
    mayRead: (file) => policy.mayRead?.(file) !== false || isOpenOutside(file),
  };
}

function isOpenedForReading(file: string, policy: Policy): boolean {
  const access = { kind: 'read' as const, target: file };
  const { cwd, root, home } = policy;
  const { target, ...place } = realPlace(access, policy) ?? { target: file, cwd, root };
  const real: Subject = {
    tool: 'Read',
    access: { ...access, target },
    home,
    ...place,
    isInside: () => false,
  };
  return (
    policy.rules.allow.map(parsePattern).some((rule) => matchesAccess(rule, real, 'allow')) ||
    openedFolder(policy.grants, real) !== undefined
  );
}

/**
 * The remembered approval that opened a folder containing this real path. Any other approval covers exactly
 * what was asked.
 */
export function openedFolder(grants: readonly Permission[], real: Subject): string | undefined {
  return grants
    .filter(({ action, type }) => action === 'allow' && type === real.access.kind)
    .map(({ pattern }) => parseGrant(pattern))
    .find((pattern) => pattern.specifier?.endsWith('/**') && matchesAccess(pattern, real, 'allow'))?.source;
}
