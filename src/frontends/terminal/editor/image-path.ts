const IMAGE = /\.(png|jpe?g|gif|webp)$/i;

/**
 * The path of an image that a terminal inserted for a dropped file, or that was pasted: quoted, with escaped
 * spaces, or as a file URL. Null for any other text.
 */
export function imagePathIn(pasted: string): string | null {
  const text = pasted.trim();
  if (text === '' || /[\n\r]/.test(text)) return null;
  const path = unquoted(text);
  return path !== null && IMAGE.test(path) && /^(\/|~\/|\.{1,2}\/|[a-z]:[\\/]|[^\s/]+(\/|$))/i.test(path)
    ? path
    : null;
}

function unquoted(text: string): string | null {
  if (text.startsWith('file://')) {
    try {
      return decodeURIComponent(new URL(text).pathname);
    } catch {
      // A malformed URL is plain text.
      return null;
    }
  }
  const quoted = /^(["'])(.*)\1$/.exec(text);
  if (quoted) return quoted[2] ?? null;
  // On Windows the backslash belongs to the path.
  if (/^[a-z]:\\/i.test(text)) return text;
  return /(^|[^\\])\s/.test(text) ? null : text.replaceAll(/\\(.)/g, '$1');
}
