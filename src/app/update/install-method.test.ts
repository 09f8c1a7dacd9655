import { expect, test } from 'vitest';
import { type InstallFacts, installMethodOf } from './install-method.ts';

const MAIN = 'node_modules/ai-code-assistant/dist/main.cjs';

test.each<[string, Partial<InstallFacts> & { program: string }, string, string]>([
  ['npm', { program: `/usr/local/lib/${MAIN}` }, 'by npm', 'npm install -g ai-code-assistant@latest'],
  [
    'nvm',
    { program: `/home/u/.nvm/versions/node/v22.1.0/lib/${MAIN}` },
    'by npm',
    'npm install -g ai-code-assistant@latest',
  ],
  ['npx', { program: `/home/u/.npm/_npx/abc/${MAIN}` }, 'by npx', 'npx ai-code-assistant@latest'],
  [
    'pnpm',
    { program: `/home/u/.local/share/pnpm/global/5/.pnpm/ai-code-assistant@1/${MAIN}` },
    'by pnpm',
    'pnpm add -g ai-code-assistant@latest',
  ],
  [
    'bun',
    { program: `/home/u/.bun/install/global/${MAIN}` },
    'by bun',
    'bun add -g ai-code-assistant@latest',
  ],
  [
    'yarn',
    { program: `/home/u/.config/yarn/global/${MAIN}` },
    'by yarn',
    'yarn global add ai-code-assistant@latest',
  ],
  [
    'a project',
    { program: `/home/u/app/${MAIN}` },
    'as a project dependency',
    'npm install ai-code-assistant@latest',
  ],
  [
    'the source',
    { program: '/home/u/aca/dist/main.cjs' },
    'from source',
    'git pull && npm ci && npm run build',
  ],
  [
    'one file',
    { program: '/opt/aca/aca', standalone: true },
    'as a single file',
    'replace the file in /opt/aca with the new one',
  ],
  [
    'a binary in a package',
    { program: '/usr/lib/node_modules/@ai-code-assistant/linux-x64/aca', standalone: true },
    'by npm',
    'npm install -g ai-code-assistant@latest',
  ],
  [
    'npm on Windows',
    {
      program: 'C:\\Users\\u\\AppData\\Roaming\\npm\\node_modules\\ai-code-assistant\\dist\\main.cjs',
      platform: 'win32',
    },
    'by npm',
    'npm install -g ai-code-assistant@latest',
  ],
  [
    'one file on Windows',
    { program: 'C:\\Tools\\aca.exe', platform: 'win32', standalone: true },
    'as a single file',
    'replace the file in C:\\Tools with the new one',
  ],
])('[D01] installed by %s', (_name, facts, how, update) => {
  expect(installMethodOf({ standalone: false, platform: 'linux', ...facts })).toMatchObject({ how, update });
});

test('a path with spaces is quoted for its shell', () => {
  const removal = (program: string, platform: NodeJS.Platform) =>
    installMethodOf({ program, platform, standalone: true }).remove;
  expect([removal("/opt/my tools/it's", 'linux'), removal('C:\\My Tools\\aca.exe', 'win32')]).toEqual([
    `rm '/opt/my tools/it'\\''s'`,
    'del "C:\\My Tools\\aca.exe"',
  ]);
});

test('a clone is removed with the link that npm made to it', () => {
  const facts = { program: '/home/u/aca/dist/main.cjs', standalone: false, platform: 'linux' } as const;
  expect(installMethodOf(facts).remove).toBe(
    "remove the folder /home/u/aca, and npm's link to it: npm uninstall -g ai-code-assistant",
  );
});
