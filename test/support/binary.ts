import path from 'node:path';
import process from 'node:process';
import { buildPackage, node } from './build-program.ts';

const system = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
const systems = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'windows-x64'];
const folder = path.resolve('node_modules/.cache/binary/tested');

/** Where `buildBinary` puts the binary for this machine; null if none can be built. */
export const builtBinary: string | null = systems.includes(system)
  ? path.join(folder, `aca-${system}${process.platform === 'win32' ? '.exe' : ''}`)
  : null;

/** Builds both: an npm installation includes both. */
export default function buildBinary(): void {
  buildPackage();
  if (builtBinary !== null) node('scripts/build-binary.mjs', '--quiet', '--outdir', folder);
}
