import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { shellWord } from '../../lib/text/shell-quote.ts';

/** How the program was installed: a description, and the commands to update and remove it. */
export type InstallMethod = { how: string; update: string; remove: string };

export type InstallFacts = {
  /** The running file, with symlinks resolved. */
  program: string;
  /** Whether that file is the standalone binary, without Node. */
  standalone: boolean;
  platform: NodeJS.Platform;
};

const NAME = 'ai-code-assistant';
const FROM_SOURCE = 'from source';

const globals: [mark: RegExp, how: string, update: string, remove: string][] = [
  [/\/_npx\//, 'npx', `npx ${NAME}@latest`, 'npm cache clean --force'],
  [/\/\.?pnpm\/(.*\/)?global\//i, 'pnpm', `pnpm add -g ${NAME}@latest`, `pnpm remove -g ${NAME}`],
  [/\/\.bun\/install\/global\//, 'bun', `bun add -g ${NAME}@latest`, `bun remove -g ${NAME}`],
  [/\/yarn\/(data\/)?global\//i, 'yarn', `yarn global add ${NAME}@latest`, `yarn global remove ${NAME}`],
  [/\/\.volta\//, 'volta', `volta install ${NAME}@latest`, `volta uninstall ${NAME}`],
  // Where npm keeps global packages: lib/node_modules of a prefix, on Windows node_modules of %APPDATA%\npm.
  [/\/lib\/node_modules\//, 'npm', `npm install -g ${NAME}@latest`, `npm uninstall -g ${NAME}`],
  [/\/npm\/node_modules\//i, 'npm', `npm install -g ${NAME}@latest`, `npm uninstall -g ${NAME}`],
];

/** Detected from the program's path. The commands are only shown, never run. */
export function installMethodOf({ program, standalone, platform }: InstallFacts): InstallMethod {
  const place = platform === 'win32' ? program.replaceAll('\\', '/') : program;
  const found = globals.find(([mark]) => mark.test(place));
  if (found) return { how: `by ${found[1]}`, update: found[2], remove: found[3] };
  if (place.includes('/node_modules/'))
    return {
      how: 'as a project dependency',
      update: `npm install ${NAME}@latest`,
      remove: `npm uninstall ${NAME}`,
    };
  if (standalone) {
    const { dir } = (platform === 'win32' ? path.win32 : path.posix).parse(program);
    return {
      how: 'as a single file',
      update: `replace the file in ${dir} with the new one`,
      remove: platform === 'win32' ? `del "${program}"` : `rm ${shellWord(program)}`,
    };
  }
  return {
    how: FROM_SOURCE,
    update: 'git pull && npm ci && npm run build',
    remove: `remove the folder ${path.dirname(path.dirname(program))}, and npm's link to it: npm uninstall -g ${NAME}`,
  };
}

/**
 * How the running program was installed. `program` is the script that Node runs; the standalone binary needs
 * none.
 */
export function thisInstall(program?: string): InstallMethod {
  return installMethodOf({ ...runningProgram(program), platform: process.platform });
}

/** Whether the program runs from a clone of its repository. */
export function runsFromSource(program?: string): boolean {
  return thisInstall(program).how === FROM_SOURCE;
}

/** The file of the running program, with symlinks resolved. */
export function runningProgram(program?: string): Pick<InstallFacts, 'program' | 'standalone'> {
  const { execPath } = process;
  const runtime = path.basename(execPath).replace(/\.exe$/i, '');
  const standalone = !/^(node|nodejs|bun)$/i.test(runtime);
  const file = standalone ? execPath : (program ?? execPath);
  // An update may have removed it.
  return { program: existsSync(file) ? realpathSync(file) : file, standalone };
}
