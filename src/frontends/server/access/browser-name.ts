/** The first that fits: browsers name their ancestors, too. */
const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|Chromium|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly [RegExp, string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** What a person would call this browser, such as `Firefox on Linux`; never a text that the browser chose. */
export function browserName(userAgent: string): string {
  const named = (names: typeof BROWSERS) => names.find(([fits]) => fits.test(userAgent))?.[1];
  const [browser = 'Unknown browser', system] = [named(BROWSERS), named(SYSTEMS)];
  return system === undefined ? browser : `${browser} on ${system}`;
}
