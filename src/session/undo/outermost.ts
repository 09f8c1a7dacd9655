import { existsSync, realpathSync } from 'node:fs';
import { isInside } from '../../lib/paths/inside.ts';

/** Real folders, without nested ones. */
export function outermost(roots: readonly string[]): string[] {
  const real = [...new Set(roots.filter((root) => existsSync(root)).map((root) => realpathSync(root)))];
  return real.filter((root) => !real.some((other) => other !== root && isInside(other, root)));
}
