import path from 'node:path';

/** Whether `file` is `folder` or lies under it. Both absolute; `/srv/app-evil` is not inside `/srv/app`. */
export function isInside(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
