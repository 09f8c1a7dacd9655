/** Whether a library for credentials failed because a server could not be reached. */
export function isNetworkError(error: unknown): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth++) {
    const { code } = cause as NodeJS.ErrnoException;
    if (typeof code === 'string' && /^(ECONN|ENOTFOUND|EAI_|EHOST|ENET|ETIMEDOUT|UND_ERR)/.test(code))
      return true;
  }
  return false;
}
