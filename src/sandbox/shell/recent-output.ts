/** The output since the last `take`: at most `limit` characters; drops the oldest first, with a note. */
export type RecentOutput = { push(text: string): void; take(): string };

export function createRecentOutput(limit: number): RecentOutput {
  let pieces: string[] = [];
  let length = 0;
  let dropped = 0;

  function shorten(): void {
    const all = pieces.join('');
    const kept = latest(all, limit);
    dropped += all.length - kept.length;
    pieces = [kept];
    length = kept.length;
  }

  return {
    push(text) {
      pieces.push(text);
      length += text.length;
      // Joined only when twice too long, so that many small chunks cost no more than a few large ones.
      if (length > 2 * limit) shorten();
    },
    take() {
      if (length > limit) shorten();
      const note = dropped === 0 ? '' : `[${dropped} older characters dropped]\n`;
      const text = note + pieces.join('');
      pieces = [];
      length = 0;
      dropped = 0;
      return text;
    },
  };
}

/** Never starts with half a surrogate pair. */
function latest(text: string, limit: number): string {
  const tail = text.slice(-limit);
  return /^[\uDC00-\uDFFF]/.test(tail) ? tail.slice(1) : tail;
}
