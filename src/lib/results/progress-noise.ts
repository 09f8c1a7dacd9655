/** Lines that only say that work goes on: the first to go when an output is too long. */
const PROGRESS: readonly RegExp[] = [
  // Passed tests: pytest -v, unittest, go, cargo, TAP, mocha, vitest, jest.
  /^\S+::\S.* (PASSED|SKIPPED|XFAIL)(\s+\[ *\d+%\])?$/,
  /^\S+ \(\S+\).*\.\.\. ok$/,
  /^\s*(=== (RUN|PAUSE|CONT)\s|--- PASS: )/,
  /^test \S.* \.\.\. (ok|ignored)$/,
  /^\s*ok \d+\b/,
  /^\s*[✓✔√] /,
  /^ok {2}\t\S/,
  // Dots for tests, with a percentage.
  /^(\S+\.py )?[.sxFE]*\.{3,}[.sxFE]*(\s+\[ *\d+%\])?$/,
  // Downloads and builds.
  /^\s*(Downloading|Downloaded|Fetching|Collecting|Unpacking|Preparing to unpack|Selecting previously|Setting up|Get:\d+|Hit:\d+|Compiling|Checking|Fresh|Progress|Receiving objects|Resolving deltas|Counting objects|Compressing objects)\b/,
  /^\[INFO\] (Download(ing|ed) from |-{5,}$|\s*$)/,
  /^\s*(\d{1,3}%|\[ *\d+%\]|\[\d+\/\d+\])\s/,
  /^[\s|#=>.━╸╺-]*\d{1,3}(\.\d)?%/,
];

/** Fewer lines in a row stay: the note would be as long. */
const SHORTEST_RUN = 3;

/** What a terminal shows: the text after the last carriage return of a line. Then without runs of progress lines. */
export function withoutProgress(text: string): string {
  const lines = (text.includes('\r') ? text.replaceAll(/[^\n]*\r(?=[^\n])/g, '') : text).split('\n');
  const kept: string[] = [];
  let run: string[] = [];
  const end = () => {
    if (run.length < SHORTEST_RUN) kept.push(...run);
    else kept.push(`[${run.length} progress lines left out]`);
    run = [];
  };
  for (const line of lines) {
    if (PROGRESS.some((progress) => progress.test(line))) run.push(line);
    else {
      if (run.length > 0) end();
      kept.push(line);
    }
  }
  if (run.length > 0) end();
  return kept.join('\n');
}
