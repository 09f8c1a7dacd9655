type Normalisation = { name: string; only?: RegExp } & (
  | { pattern: RegExp; as: string }
  | { pattern?: undefined; of(text: string): string }
);

const LS = /\b(ls|ll|tree)\b/;

/** What may differ between two runs of the same call, each with a name that the report shows. */
const NORMALISATIONS: readonly Normalisation[] = [
  {
    name: 'dates and times',
    pattern: /\b\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d([.,]\d+)?)?)?( ?(Z|[+-]\d\d:?\d\d)\b)?/g,
    as: '<time>',
  },
  // As `ls` writes them: the size of a file before it is no day.
  {
    name: 'dates and times',
    pattern:
      /(?<!\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d{1,2} +(\d\d:\d\d|\d{4})(?=\s)/g,
    as: '<time>',
  },
  {
    name: 'dates and times',
    pattern:
      /\b((Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?(\d{1,2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)|(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d{1,2})\b( +\d\d:\d\d(:\d\d)?)?( +[A-Z]{3,4}\b)?( +\d{4}\b)?/g,
    as: '<time>',
  },
  { name: 'dates and times', pattern: /\b\d{1,2}:\d\d:\d\d([.,]\d+)?\b/g, as: '<time>' },
  {
    name: 'durations',
    pattern: /\b\d+([.,]\d+)? ?(ns|µs|us|ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?)\b/g,
    as: '<duration>',
  },
  { name: 'durations', pattern: /\b\d+m\d+([.,]\d+)?s\b/g, as: '<duration>' },
  { name: 'process ids', pattern: /\b(pid|PID|process)([ :=#]+)\d+/g, as: '$1$2<pid>' },
  { name: 'process ids', pattern: /^\[\d+\] \d+$/gm, as: '<pid>' },
  { name: 'temporary names', pattern: /\/tmp\/[\w.-]+/g, as: '<temporary>' },
  { name: 'commit ids', pattern: /\b[0-9a-f]{7,40}\b/g, as: '<commit>', only: /\bgit\b/ },
  {
    name: 'ids of background commands',
    pattern: /\b(as|shell|bash)[ _-][0-9a-z]{4,12}\b/g,
    as: '<shell>',
    only: /background/,
  },
  // The folder around the copy is another one, and how many blocks a folder takes is up to the file system.
  { name: 'listings of folders', pattern: /^d[-rwxsStT]{9}.* \.\.$/gm, as: '<parent>', only: LS },
  { name: 'listings of folders', pattern: /^total [\d.,]+[KMGT]?$/gm, as: '<total>', only: LS },
  {
    name: 'listings of folders',
    pattern: /^(d[-rwxsStT]{9}[.+@]? +\d+ +\S+ +\S+ +)[\d.,]+[KMGT]?(?= )/gm,
    as: '$1<size>',
    only: LS,
  },
  // Columns are as wide as their widest value.
  { name: 'listings of folders', pattern: / {2,}/g, as: ' ', only: LS },
  // They come newest first; in a copy, files that were restored are the newest.
  {
    name: 'the order of files',
    of: (text) => text.split('\n').sort().join('\n'),
    only: /^(Glob|Grep)\b/,
  },
];

/** Whether two texts say the same, and what had to be ignored for that. */
export type Comparison = { isSame: boolean; ignored: string[] };

/** `about` is the call that printed them: some things are ignored only for some commands. */
export function compareTexts(expected: string, actual: string, about: string): Comparison {
  if (expected === actual) return { isSame: true, ignored: [] };
  const rows = NORMALISATIONS.filter(({ only }) => !only || only.test(about));
  const without = (left: readonly (typeof rows)[number][], text: string) =>
    left.reduce(
      (result, row) => (row.pattern ? result.replaceAll(row.pattern, row.as) : row.of(result)),
      text,
    );
  if (without(rows, expected) !== without(rows, actual)) return { isSame: false, ignored: [] };
  const needed = new Set(
    rows
      .map(({ name }) => name)
      .filter((name) => {
        const others = rows.filter((row) => row.name !== name);
        return without(others, expected) !== without(others, actual);
      }),
  );
  return { isSame: true, ignored: [...needed] };
}
