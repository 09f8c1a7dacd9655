export type LinkTarget = { type: 'web'; url: string } | { type: 'file'; path: string; line?: number };

/** Like a scheme, but not `a.ts:12`. */
const SCHEME = /^[a-z][a-z0-9+.-]*:(?!\d+(?::|$))/i;
const PLACE = /(?:#L(\d+)(?:[-:].*)?|:(\d+)(?::\d+)?)$/;

/** Where a link leads; null for what is not opened: other schemes, anchors, broken addresses. */
export function linkTarget(href: string): LinkTarget | null {
  if (/^https?:\/\//i.test(href)) return URL.canParse(href) ? { type: 'web', url: new URL(href).href } : null;
  if (/^file:\/\/\//i.test(href)) return fileTarget(href.slice('file://'.length));
  if (SCHEME.test(href) || /^(?:#|\/\/|\\\\|$)/.test(href)) return null;
  return fileTarget(href);
}

/** A file that is named in code, such as `src/auth.ts:12`; null for everything that only might be one. */
export function codeTarget(code: string): LinkTarget | null {
  const isPath =
    /^(?:[\w@.+-]+\/)+[\w@.+-]*\.\w{1,8}(?::\d+(?::\d+)?)?$/.test(code) ||
    /^[\w@+-][\w@.+-]*\.\w{1,8}:\d+(?::\d+)?$/.test(code);
  return isPath ? fileTarget(code) : null;
}

function fileTarget(href: string): LinkTarget | null {
  const place = PLACE.exec(href);
  const line = Number(place?.[1] ?? place?.[2]);
  const path = decoded(place ? href.slice(0, place.index) : href);
  if (path === null || path === '') return null;
  return line > 0 ? { type: 'file', path, line } : { type: 'file', path };
}

function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}
