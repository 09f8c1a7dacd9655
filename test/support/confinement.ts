import path from 'node:path';
import type { Confinement } from '../../src/sandbox/confine/confine.ts';

/** The sandbox of a session without any settings. */
export function defaultConfinement(home: string): Omit<Confinement, 'isClosed'> {
  return {
    kind: 'auto',
    level: () => 'standard',
    required: false,
    allowedDomains: [],
    writablePaths: [],
    readablePaths: [],
    additionalDirectories: [],
    allowedPaths: [],
    home,
    dataRoot: path.join(home, '.ai-assistant'),
  };
}
