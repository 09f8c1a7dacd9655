import path from 'node:path';

export type Lookup = {
  /** The setting `aca.path`; empty if the user did not set it. */
  setting: string;
  /** The variable `PATH`. */
  path: string;
  /** Folders whose own `node_modules` may be used: those of the workspace, if it is trusted. */
  folders: readonly string[];
  home: string;
  platform: NodeJS.Platform;
  isProgram(file: string): boolean;
};

/** The absolute path of the program; null if there is none where we look. */
export function findProgram(lookup: Lookup): string | null {
  const { setting, folders, home, platform } = lookup;
  const paths = platform === 'win32' ? path.win32 : path.posix;
  // A folder of PATH that is relative could be one of the workspace.
  const onPath = lookup.path.split(paths.delimiter).filter((folder) => paths.isAbsolute(folder));
  const chosen = setting.trim();
  if (/[\\/]/.test(chosen)) {
    const file = chosen.replace(/^~(?=[\\/])/, home);
    return paths.isAbsolute(file) ? firstProgram([file], lookup) : null;
  }
  if (chosen !== '')
    return firstProgram(
      onPath.map((folder) => paths.join(folder, chosen)),
      lookup,
    );
  const bins = folders.map((folder) => paths.join(folder, 'node_modules', '.bin'));
  return firstProgram(
    [...onPath, ...bins].map((folder) => paths.join(folder, 'aca')),
    lookup,
  );
}

function firstProgram(files: readonly string[], { platform, isProgram }: Lookup): string | null {
  const endings = platform === 'win32' ? ['.exe', '.cmd', ''] : [''];
  const all = files.flatMap((file) => endings.map((ending) => file + ending));
  return (
    all.find((file) => (platform !== 'win32' || /\.(exe|cmd|bat)$/i.test(file)) && isProgram(file)) ?? null
  );
}

/** How to start it. A script of Windows needs a shell, and a shell needs quotes. */
export function commandLine(
  file: string,
  args: readonly string[],
): { file: string; args: string[]; shell: boolean } {
  if (!/\.(cmd|bat)$/i.test(file)) return { file, args: [...args], shell: false };
  return { file: quoted(file), args: args.map(quoted), shell: true };
}

/** For `cmd.exe`. Inside quotes only `%` and `"` are special. */
function quoted(text: string): string {
  return `"${text.replaceAll('"', '""').replaceAll('%', '"^%"')}"`;
}
