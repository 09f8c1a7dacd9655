/** How to recognize the report of a test runner, and its lines that matter most: failing names and assertions. */
type TestRunner = { name: string; report: RegExp; failures: readonly RegExp[] };

const TEST_RUNNERS: readonly TestRunner[] = [
  {
    name: 'pytest',
    report: /^=+ (test session starts|FAILURES|ERRORS|short test summary info) =+$/m,
    failures: [
      /^E( {2,}|$)/,
      /^(FAILED|ERROR) \S/,
      /^_{3,} .* _{3,}$/,
      /^> {2,}\S/,
      /^\S+:\d+: (\w+|in \w+)$/,
      /^=+ .*\b(failed|passed|errors?)\b.*=+$/,
    ],
  },
  {
    name: 'unittest',
    report: /^(FAIL|ERROR): \S+ \(.*\)$/m,
    failures: [
      /^(FAIL|ERROR): /,
      /^[\w.]*(Error|Exception|Failure)\b/,
      /^ {2}File ".*", line \d+, in test/,
      /^(FAILED \(|Ran \d+ tests?)/,
    ],
  },
  {
    name: 'vitest',
    report: /^\s*(RUN\s+v\d|Test Files\s+\d|⎯{3,})/m,
    failures: [
      /^\s*(FAIL|×|✗)\s/,
      /^\s*→ /,
      /^\s*[\w.]*Error\b.*/,
      /^\s+❯ \S+:\d+:\d+$/,
      /^\s*(Test Files|Tests|Errors)\s+\d/,
    ],
  },
  {
    name: 'jest',
    report: /^(Tests|Test Suites):\s+\d/m,
    failures: [
      /^FAIL\s/,
      /^\s+● /,
      /^\s+(expect\(|(Expected|Received)\b.*:|[\w.]*Error\b|thrown: )/,
      /^\s+> +\d+ \|/,
      /^(Tests|Test Suites):/,
    ],
  },
  {
    name: 'mocha',
    report: /^\s+\d+ (passing|failing)\b/m,
    failures: [
      /^\s+\d+\) /,
      /^ {7}\S.*:$/,
      /^\s+[\w.]*(Error|Exception)\b/,
      /^\s+[-+]\S/,
      /^\s+\d+ (passing|failing)\b/,
    ],
  },
  {
    name: 'CTest',
    report: /^\s*\d+\/\d+ Test\s+#\d+: /m,
    failures: [
      /^\s*\d+\/\d+ Test\s+#\d+: .*\*\*\*/,
      /Assertion `.*' failed\.$/,
      /^\t *\d+ - \S/,
      /^\d+% tests passed, /,
    ],
  },
  {
    name: 'go test',
    report: /^(=== RUN |--- (FAIL|PASS): |FAIL\t|ok {2}\t)/m,
    failures: [
      /^\s*--- FAIL: /,
      /^\s+\S+_test\.go:\d+: /,
      /^(FAIL\b|panic: )/,
      /^\s+(Error|Error Trace|Test|Messages|expected|actual)\s*:/,
    ],
  },
  {
    name: 'cargo test',
    report: /^(running \d+ tests?|test result: .*)$/m,
    failures: [
      /^test \S.* \.\.\. FAILED$/,
      /^---- .* stdout ----$/,
      /panicked at /,
      /^\s*(left|right): /,
      /^(assertion |called `)/,
      /^test result: /,
      /^error(\[E\d+\])?: /,
    ],
  },
  {
    name: 'node:test',
    report: /^(TAP version \d+|(# |ℹ )tests \d+)$/m,
    failures: [
      /^\s*not ok \d+/,
      /^\s*✖ /,
      /^\s*\[?[\w.]*Error\b/,
      /^\s*(error|expected|actual|code|location):/,
      /^(# |ℹ )(tests|pass|fail) \d+$/,
    ],
  },
  {
    name: 'JUnit',
    report: /Tests run: \d+, Failures: \d+|^\d+ tests completed, \d+ failed$/m,
    failures: [
      /^\[ERROR\] /,
      /<<< (FAILURE|ERROR)!$/,
      /^\S.* > .* FAILED$/,
      /^\s*[\w.]*(AssertionFailedError|AssertionError|ComparisonFailure|Exception)\b/,
      /Tests run: \d+, Failures: /,
      /^\d+ tests completed, /,
    ],
  },
  {
    name: 'RSpec',
    report: /^\d+ examples?, \d+ failures?/m,
    failures: [
      /^\s+\d+\) \S/,
      /^\s+(Failure\/Error:|expected\b|got\b|[A-Z]\w*Error:|undefined )/,
      /^\s+# \.\/\S+:\d+/,
      /^rspec \.\//,
      /^\d+ examples?, /,
    ],
  },
  {
    name: 'PHPUnit',
    report: /^(PHPUnit \d|FAILURES!$|ERRORS!$)/m,
    failures: [
      /^\d+\) \S/,
      /^Failed asserting /,
      /^[-+]{1,3}['"\w]/,
      /^\S+\.php:\d+$/,
      /^[\w\\]*(Exception|Error): /,
      /^Tests: \d+/,
    ],
  },
];

/** Whether a line of this text names a failing test or says what failed; null if no report is recognized. */
export function failureLines(text: string): ((line: string) => boolean) | null {
  const runners = TEST_RUNNERS.filter(({ report }) => report.test(text));
  if (runners.length === 0) return null;
  const failures = runners.flatMap((runner) => runner.failures);
  return (line) => failures.some((failure) => failure.test(line));
}
