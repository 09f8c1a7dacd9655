import path from 'node:path';

/** Whether `file` is `folder` or inside it. Both absolute; `/srv/app-evil` is not inside `/srv/app`. */
export function isInside(folder: string, file: string): boolean {
  // A fast path: called thousands of times per command, almost always with resolved paths.
  if (isResolved(folder) && isResolved(file))
    return file.startsWith(folder) && (file.length === folder.length || file[folder.length] === '/');
  const relative = path.relative(folder, file);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/** A POSIX path that `path.resolve` would not change. */
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
