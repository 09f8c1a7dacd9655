import path from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** The path rules of a platform, whichever one this is. */
export function pathsOf(platform: NodeJS.Platform): path.PlatformPath {
  return platform === 'win32' ? path.win32 : path.posix;
}

/**
 * A variable as the platform finds it: names are case-insensitive on Windows, but not in a copy of the
 * environment.
 */
export function variable(env: Env, name: string, platform: NodeJS.Platform): string | undefined {
  if (platform !== 'win32' || env[name] !== undefined) return env[name];
  const found = Object.keys(env).find((key) => key.toUpperCase() === name.toUpperCase());
  return found === undefined ? undefined : env[found];
}

/** The folders of PATH in order, without relative ones: those depend on the working directory. */
export function pathFolders(env: Env, platform: NodeJS.Platform): string[] {
  const { delimiter, isAbsolute } = pathsOf(platform);
  const folders = (variable(env, 'PATH', platform) ?? '').split(delimiter);
  // Windows allows quotes around a folder.
  return folders.map((folder) => folder.replace(/^"(.*)"$/, '$1')).filter((folder) => isAbsolute(folder));
}
