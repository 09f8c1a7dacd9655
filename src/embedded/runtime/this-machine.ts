import { existsSync, readFileSync } from 'node:fs';
import type { Machine } from './platform.ts';

export function thisMachine(env: NodeJS.ProcessEnv): Machine {
  const { platform, arch } = process;
  return {
    ...{ platform, arch, env },
    exists: existsSync,
    read(file) {
      try {
        return readFileSync(file, 'utf8');
      } catch {
        return null;
      }
    },
  };
}
