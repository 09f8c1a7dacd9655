import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../lib/text/json.ts';
import { formatKeyPath } from './key-path.ts';
import { mergeValues } from './merge.ts';
import { levelsByStrictness } from './schema/sandbox-settings.ts';
import { type Config, type ConfigInput, modesByStrictness } from './schema/schema.ts';

/**
 * What a project's file may do to a setting before the folder is trusted.
 * - `free`: anything, because it only affects appearance.
 * - `adds`: extend a list of deny or ask rules, which is stricter.
 * - `only-on`: turn on a safeguard.
 * - `only-lower`: lower a limit, or a table of limits; a new limit is stricter than none.
 * - `only-stricter`: tighten a mode or level.
 * - `trusted`: nothing.
 */
type ProjectRule = 'free' | 'adds' | 'only-on' | 'only-lower' | 'only-stricter' | 'trusted';

type ProjectRules = { readonly [Key in keyof Config]-?: ProjectRule | Readonly<Record<string, ProjectRule>> };

export const projectRules: ProjectRules = {
  provider: 'trusted',
  model: 'trusted',
  helperModel: 'trusted',
  fallbackModel: 'trusted',
  routing: 'trusted',
  offline: 'only-on',
  tools: 'trusted',
  limits: 'trusted',
  quotas: 'only-lower',
  apiKey: 'trusted',
  apiBaseUrl: 'trusted',
  providers: 'trusted',
  accounts: 'trusted',
  models: 'trusted',
  aliases: 'trusted',
  effort: 'trusted',
  tier: 'trusted',
  temperature: 'only-lower',
  maxTokens: 'only-lower',
  maxTurns: 'only-lower',
  maxCommandTimeoutMs: 'only-lower',
  maxContextTokens: 'trusted',
  summarizationThreshold: 'trusted',
  promptCache: 'trusted',
  vendorSummaries: 'trusted',
  mode: 'only-stricter',
  permissions: { allow: 'trusted', ask: 'adds', deny: 'adds', trust: 'trusted' },
  publicProject: 'trusted',
  projects: 'trusted',
  requireApprovalForReads: 'only-on',
  requireApprovalForWrites: 'only-on',
  requireApprovalForCommands: 'only-on',
  neverAsk: 'only-on',
  blockedCommands: 'adds',
  blockedPaths: 'adds',
  allowedPaths: 'trusted',
  additionalDirectories: 'trusted',
  sandbox: {
    kind: 'trusted',
    level: 'only-stricter',
    required: 'only-on',
    autoApprove: 'trusted',
    image: 'trusted',
    allowedDomains: 'trusted',
    writablePaths: 'trusted',
    readablePaths: 'trusted',
    maxProcesses: 'only-lower',
    maxMemoryMb: 'only-lower',
  },
  redactSecrets: 'only-on',
  auditLog: 'only-on',
  log: 'trusted',
  telemetry: 'trusted',
  mcpServers: 'trusted',
  subagents: 'trusted',
  plugins: 'trusted',
  otherAssistants: 'trusted',
  env: 'trusted',
  hooks: 'trusted',
  theme: 'free',
  colorOutput: 'free',
  statusBar: 'free',
  statusLine: 'trusted',
  notifications: 'trusted',
  outputStyle: 'trusted',
  editorMode: 'trusted',
  keys: 'trusted',
  verbosity: 'free',
  queue: 'trusted',
  streamOutput: 'free',
  saveHistory: 'trusted',
  memory: 'trusted',
  sessionDirectory: 'trusted',
  maxHistorySize: 'trusted',
  cleanupPeriodDays: 'trusted',
  storageLimitMb: 'trusted',
  undoLimitMb: 'trusted',
  webSearch: 'trusted',
  voice: 'trusted',
  languageServers: 'trusted',
  checks: 'trusted',
  cache: 'trusted',
  updates: 'trusted',
  network: 'trusted',
};

/**
 * Settings that no project may change, even if trusted: whether activity is reported elsewhere, which personal
 * files are used, which commands run outside the sandbox, and who hears the microphone, is the user's decision.
 */
const USER_ONLY: ReadonlySet<string> = new Set<keyof Config>([
  'telemetry',
  'otherAssistants',
  'statusLine',
  'notifications',
  'voice',
]);

export function withoutUserOnly(project: ConfigInput): { input: ConfigInput; refused: string[] } {
  const [refused, kept] = [true, false].map((isRefused) =>
    Object.entries(project).filter(([key]) => USER_ONLY.has(key) === isRefused),
  );
  return { input: Object.fromEntries(kept ?? []), refused: (refused ?? []).map(([key]) => key) };
}

/** The part of a project's settings that loosens nothing compared with `base`, and the keys of the rest. */
export function tighten(base: Config, project: ConfigInput): { accepted: ConfigInput; ignored: string[] } {
  const ignored: string[] = [];
  const accepted = sift(projectRules, { base, project, path: [], ignored });
  // A subset of a valid input is valid: no setting is required.
  return { accepted: accepted as ConfigInput, ignored };
}

type Sifting = { base: unknown; project: unknown; path: string[]; ignored: string[] };

function sift(rules: Readonly<Record<string, ProjectRule | Record<string, ProjectRule>>>, at: Sifting) {
  const accepted: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(isObject(at.project) ? at.project : {})) {
    const rule = Object.hasOwn(rules, key) ? rules[key] : 'trusted';
    const base = isObject(at.base) ? at.base[key] : undefined;
    const path = [...at.path, key];
    if (typeof rule === 'object') accepted[key] = sift(rule, { ...at, base, project: value, path });
    else if (rule !== undefined && permits(rule, base, value)) accepted[key] = value;
    else if (!isDeepStrictEqual(mergeValues(base, value), base)) at.ignored.push(formatKeyPath(path));
  }
  return accepted;
}

function permits(rule: ProjectRule, base: unknown, value: unknown): boolean {
  switch (rule) {
    case 'free':
    case 'adds':
      return true;
    case 'only-on':
      return value === true;
    case 'only-lower':
      return isLower(base, value);
    case 'only-stricter':
      return strictness(value) <= strictness(base);
    case 'trusted':
      return false;
  }
  return rule satisfies never;
}

function isLower(base: unknown, value: unknown): boolean {
  if (base === undefined) return true;
  if (!isObject(value)) return Number(value) <= Number(base);
  return Object.entries(value).every(([key, inner]) =>
    isLower(isObject(base) && Object.hasOwn(base, key) ? base[key] : undefined, inner),
  );
}

function strictness(value: unknown): number {
  const scales: readonly (readonly unknown[])[] = [modesByStrictness, levelsByStrictness];
  return scales.find((scale) => scale.includes(value))?.indexOf(value) ?? -1;
}

/** Whether a project must be trusted to set this key. */
export function needsTrust(keyPath: readonly string[]): boolean {
  let rule: ProjectRule | Readonly<Record<string, ProjectRule>> | undefined;
  let rules: Readonly<Record<string, ProjectRule | Readonly<Record<string, ProjectRule>>>> = projectRules;
  for (const key of keyPath) {
    if (!Object.hasOwn(rules, key)) break;
    rule = rules[key];
    if (typeof rule !== 'object') break;
    rules = rule;
  }
  return rule === 'trusted';
}
