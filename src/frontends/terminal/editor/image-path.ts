const IMAGE = /\.(png|jpe?g|gif|webp)$/i;

/**
 * The path of an image that a terminal typed for a file dropped on it, or that was pasted: quoted, with escaped
 * blanks, or as a file address. Null when the text is anything else.
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
      // A broken address is just words.
      return null;
    }
  }
  const quoted = /^(["'])(.*)\1$/.exec(text);
  if (quoted) return quoted[2] ?? null;
  // On Windows the backslash belongs to the path.
  if (/^[a-z]:\\/i.test(text)) return text;
  return /(^|[^\\])\s/.test(text) ? null : text.replaceAll(/\\(.)/g, '$1');
}
