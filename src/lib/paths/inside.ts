import path from 'node:path';

/** Whether `file` is `folder` or lies under it. Both absolute; `/srv/app-evil` is not inside `/srv/app`. */
export function isInside(folder: string, file: string): boolean {
  // Asked thousands of times around a command, and almost always of such paths.
  if (isResolved(folder) && isResolved(file))
    return file.startsWith(folder) && (file.length === folder.length || file[folder.length] === '/');
  const relative = path.relative(folder, file);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/** A path of POSIX that says the same after `path.resolve`. */
function isResolved(file: string): boolean {
  return (
    path.sep === '/' &&
    file.startsWith('/') &&
    !file.endsWith('/') &&
    !file.endsWith('/.') &&
    !file.includes('//') &&
    !file.includes('/./') &&
    !file.includes('/..')
  );
}
