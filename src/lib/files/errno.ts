/** Whether the operating system reported one of these errors, or any at all. */
export function isErrno(error: unknown, codes?: readonly string[]): error is NodeJS.ErrnoException {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return codes === undefined ? error.code !== undefined : codes.includes(String(error.code));
}

/** What `deed` returns, or `otherwise` if it fails with one of these errors. */
export function unlessErrno<Value, Other>(
  codes: readonly string[] | 'any',
  otherwise: Other,
  deed: () => Value,
): Value | Other {
  try {
    return deed();
  } catch (error) {
    if (isErrno(error, codes === 'any' ? undefined : codes)) return otherwise;
    throw error;
  }
}
