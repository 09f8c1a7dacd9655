import { realpathSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { type InstallWay, installWay } from '../../cli/update/install-way.ts';

declare const ACA_VERSION: string | undefined;

/** The version that runs. */
export const version = typeof ACA_VERSION === 'string' ? ACA_VERSION : '0.0.0-development';

/** How the program that runs was installed. */
export function thisInstall(): InstallWay {
  const { execPath, platform } = process;
  const runtime = path.basename(execPath).replace(/\.exe$/i, '');
  const standalone = !/^(node|nodejs|bun)$/i.test(runtime);
  const program = standalone ? execPath : (process.argv[1] ?? execPath);
  return installWay({ program: realpathSync(program), standalone, platform });
}
