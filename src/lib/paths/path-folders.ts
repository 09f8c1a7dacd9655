import path from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** The rules of paths of a system, whichever one this is. */
export function pathsOf(platform: NodeJS.Platform): path.PlatformPath {
  return platform === 'win32' ? path.win32 : path.posix;
}

/** A variable as a system finds it: names on Windows have no case, though a copy of the environment has. */
export function variable(env: Env, name: string, platform: NodeJS.Platform): string | undefined {
  if (platform !== 'win32' || env[name] !== undefined) return env[name];
  const found = Object.keys(env).find((key) => key.toUpperCase() === name.toUpperCase());
  return found === undefined ? undefined : env[found];
}

/** The folders of PATH in their order. Relative ones are left out: what stands there depends on where one is. */
export function pathFolders(env: Env, platform: NodeJS.Platform): string[] {
  const { delimiter, isAbsolute } = pathsOf(platform);
  const folders = (variable(env, 'PATH', platform) ?? '').split(delimiter);
  // Windows lets a folder stand in quotes.
  return folders.map((folder) => folder.replace(/^"(.*)"$/, '$1')).filter((folder) => isAbsolute(folder));
}
