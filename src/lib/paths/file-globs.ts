import picomatch from 'picomatch';

/**
 * Whether a path, relative and with forward slashes, matches one of the patterns. A folder stands for everything
 * in it. `bare`: where a pattern without a slash matches.
 */
export function fileGlobs(
  globs: readonly string[],
  bare: 'root' | 'anywhere',
): (relative: string) => boolean {
  const matchers = globs.flatMap((written) => {
    const glob = written
      .trim()
      .replace(/^(\.?\/)+/, '')
      .replace(/\/+$/, '');
    if (glob === '') return [];
    const whole = bare === 'anywhere' && !glob.includes('/') ? `**/${glob}` : glob;
    return [whole, `${whole}/**`].map((one) => picomatch(one, { dot: true, nonegate: true }));
  });
  return (relative) => matchers.some((matches) => matches(relative));
}
