const MAX_LENGTH = 200;

/**
 * Text for a notification, on one line. The editor turns `[text](command:…)` in it into a link, and the text may be
 * a model's.
 */
export function notificationText(text: string): string {
  const line = text.replace(/\s+/g, ' ').replaceAll('](', '] (').trim();
  return line.length <= MAX_LENGTH ? line : `${line.slice(0, MAX_LENGTH - 1)}…`;
}
