// Builds the VS Code extension and packs it: node scripts/vscode-package.mjs [FILE.vsix]
import { execFileSync } from 'node:child_process';
import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { root, version } from './bundle.mjs';
import { buildExtension, extension } from './vscode/build.mjs';

// The official packer. It is large and needs a newer Node than ours, so it is not among our packages.
const packer = ['-p', 'node@24.21.0', '-p', '@vscode/vsce@4.1.0'];

const file = path.resolve(process.argv[2] ?? path.join(root, `build/ai-code-assistant-${version}.vsix`));
await mkdir(path.dirname(file), { recursive: true });
await buildExtension();
execFileSync(
  'npx',
  [
    '--yes',
    ...packer,
    'vsce',
    'package',
    version,
    '--no-dependencies',
    '--no-git-tag-version',
    '--no-update-package-json',
    '--out',
    file,
  ],
  {
    cwd: extension,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  },
);
const { size } = await stat(file);
console.log(`${file}: ${Math.round(size / 1024)} KB`);
