import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sweep } from '../../test/support/soak.ts';
import { mergeConfig } from './merge.ts';
import { needsTrust, projectRules, tighten, withoutUserOnly } from './project-rules.ts';
import { settled } from './schema/check-settings.ts';
import type { Config, ConfigInput } from './schema/schema.ts';

const words = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 3 });
const address = fc.constantFrom('http://a', 'https://b');
const mode = fc.constantFrom<Config['mode'][]>('default', 'accept-edits', 'plan', 'auto', 'read-only');

const level = fc.constantFrom<Config['sandbox']['level'][]>('strict', 'standard', 'permissive');

const configInput = fc.record(
  {
    provider: fc.constantFrom('a', 'b'),
    model: fc.constantFrom('a/x', 'b/y'),
    helperModel: fc.constantFrom('a/x', 'b/y'),
    apiKey: fc.constantFrom('k1', 'k2'),
    apiBaseUrl: address,
    providers: fc.dictionary(
      fc.constantFrom('a', 'b'),
      fc.record({ baseUrl: address, apiKey: fc.constant('k') }),
    ),
    models: fc.dictionary(fc.constantFrom('a/x', 'b/y'), fc.record({ contextWindow: fc.constant(9) })),
    fallbackModel: fc.constantFrom('a/x', 'b/y'),
    routing: fc.array(fc.record({ match: fc.constantFrom('a', 'b'), model: fc.constantFrom('a/x', 'b/y') })),
    limits: fc.record(
      { run: fc.constantFrom('$1', '40 turns'), day: fc.constantFrom('2M tokens', '$9') },
      { requiredKeys: [] },
    ),
    quotas: fc.dictionary(
      fc.constantFrom('*', 'a/*'),
      fc.record(
        {
          requestsPerMinute: fc.integer({ min: 1, max: 9 }),
          tokensPerMinute: fc.integer({ min: 1, max: 9 }),
        },
        { requiredKeys: [] },
      ),
    ),
    accounts: fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('work', 'home')),
    aliases: fc.dictionary(fc.constantFrom('s', 't'), fc.constantFrom('a/x', 'b/y')),
    effort: fc.constantFrom('low' as const, 'high' as const),
    tier: fc.constantFrom('flex' as const, 'priority' as const),
    temperature: fc.double({ min: 0, max: 2, noNaN: true }),
    maxTokens: fc.integer({ min: 1, max: 9 }),
    maxTurns: fc.integer({ min: 1, max: 400 }),
    maxCommandTimeoutMs: fc.integer({ min: 1, max: 1_000_000 }),
    maxContextTokens: fc.integer({ min: 1, max: 9 }),
    summarizationThreshold: fc.double({ min: 0.1, max: 1, noNaN: true }),
    promptCache: fc.constantFrom('auto' as const, '5m' as const, '1h' as const),
    vendorSummaries: fc.boolean(),
    mode,
    permissions: fc.record({ allow: words, ask: words, deny: words }, { requiredKeys: [] }),
    publicProject: fc.boolean(),
    projects: fc.dictionary(
      fc.constantFrom('/a', '/b'),
      fc.record({ granted: fc.dictionary(fc.constantFrom('A', 'B'), fc.constant('2026-01-01')) }),
    ),
    requireApprovalForReads: fc.boolean(),
    requireApprovalForWrites: fc.boolean(),
    requireApprovalForCommands: fc.boolean(),
    neverAsk: fc.boolean(),
    blockedCommands: words,
    blockedPaths: words,
    allowedPaths: words,
    additionalDirectories: words,
    sandbox: fc.record(
      {
        kind: fc.constantFrom('auto' as const, 'bubblewrap' as const, 'off' as const),
        level,
        required: fc.boolean(),
        autoApprove: fc.boolean(),
        image: fc.constantFrom('a', 'b'),
        allowedDomains: words,
        writablePaths: words,
        readablePaths: words,
      },
      { requiredKeys: [] },
    ),
    redactSecrets: fc.boolean(),
    auditLog: fc.boolean(),
    log: fc.record(
      { level: fc.constantFrom('debug', 'off'), file: fc.constantFrom('/a', '/b') },
      { requiredKeys: [] },
    ),
    telemetry: fc.record({ enabled: fc.boolean() }),
    theme: fc.constantFrom('dark' as const, 'light' as const),
    colorOutput: fc.boolean(),
    statusBar: fc.subarray(['model', 'mode', 'cost']),
    statusLine: fc.record({ type: fc.constant('command'), command: fc.constantFrom('a', 'b') }),
    notifications: fc.record({
      when: fc.constantFrom('always', 'never'),
      command: fc.constantFrom('a', 'b'),
    }),
    outputStyle: fc.constantFrom('default', 'learning'),
    editorMode: fc.constantFrom('emacs' as const, 'vim' as const),
    keys: fc.dictionary(fc.constantFrom('submit', 'undo'), fc.constantFrom('ctrl+a', 'f5')),
    verbosity: fc.constantFrom('quiet' as const, 'verbose' as const),
    streamOutput: fc.boolean(),
    queue: fc.constantFrom('steer' as const, 'after' as const),
    offline: fc.boolean(),
    tools: fc.constantFrom('auto', 'full', 'minimal'),
    saveHistory: fc.boolean(),
    memory: fc.record(
      { enabled: fc.boolean(), embeddings: fc.constantFrom('auto', 'off', 'ollama/a') },
      { requiredKeys: [] },
    ),
    otherAssistants: fc.record({ claude: fc.constantFrom('use', 'ignore') }, { requiredKeys: [] }),
    env: fc.dictionary(fc.constantFrom('A', 'B'), fc.constantFrom('1', '2')),
    plugins: fc.subarray(['/p/a.js', '/p/b.js']),
    hooks: fc.record(
      {
        PreToolUse: fc.subarray([{ command: 'one' }, { matcher: 'Bash', command: 'two' }]),
        Stop: fc.subarray([{ command: 'three' }]),
      },
      { requiredKeys: [] },
    ),
    subagents: fc.record({ parallel: fc.integer({ min: 1, max: 9 }) }),
    mcpServers: fc.dictionary(
      fc.constantFrom('a', 'b'),
      fc.constantFrom(
        { command: 'x', args: ['1'] },
        { command: 'x', args: ['2'] },
        { url: 'https://a.test' },
      ),
    ),
    sessionDirectory: fc.constantFrom('/a', '/b'),
    maxHistorySize: fc.integer({ min: 1, max: 9 }),
    cleanupPeriodDays: fc.integer({ min: 1, max: 9 }),
    storageLimitMb: fc.integer({ min: 1, max: 9 }),
    undoLimitMb: fc.integer({ min: 1, max: 9 }),
    cache: fc.record({
      enabled: fc.boolean(),
      redis: fc.record({ url: fc.constantFrom('redis://a', 'redis://b') }),
    }),
    updates: fc.record(
      {
        check: fc.boolean(),
        registry: fc.constantFrom('http://a', 'http://b'),
        models: fc.constantFrom('http://a', 'http://b'),
      },
      { requiredKeys: [] },
    ),
    webSearch: fc.record(
      { backend: fc.constantFrom('off', 'brave'), address: fc.constantFrom('http://a', 'http://b') },
      { requiredKeys: [] },
    ),
    voice: fc.record(
      { command: fc.constantFrom('a', 'b'), baseUrl: fc.constantFrom('http://a', 'http://b') },
      { requiredKeys: [] },
    ),
    languageServers: fc.record(
      {
        enabled: fc.boolean(),
        limitMs: fc.integer({ min: 1, max: 9 }),
        outsideSandbox: fc.boolean(),
        servers: fc.dictionary(
          fc.constantFrom('a', 'b'),
          fc.record({
            command: fc.constantFrom('x', 'y'),
            args: fc.constant<string[]>([]),
            extensions: fc.constant({ '.x': 'x' }),
            markers: fc.constant<string[]>([]),
          }),
        ),
      },
      { requiredKeys: [] },
    ),
    checks: fc.array(
      fc.record({
        command: fc.constantFrom('a', 'b'),
        files: fc.constant<string[]>([]),
        timeoutMs: fc.constant(5),
      }),
    ),
    network: fc.record(
      { caFile: fc.constantFrom('/a', '/b'), silenceMs: fc.integer({ min: 1, max: 9 }) },
      { requiredKeys: [] },
    ),
  } satisfies Record<keyof Config, fc.Arbitrary<unknown>>,
  { requiredKeys: [] },
) as fc.Arbitrary<ConfigInput>;

const includesAll = (all: string[], some: string[]) => some.every((one) => all.includes(one));
const atMost = (value: number | undefined, limit: number | undefined) =>
  limit === undefined || (value !== undefined && value <= limit);
const levels = { strict: 0, standard: 1, permissive: 2 };
const looseness = { 'read-only': 0, plan: 1, default: 2, 'accept-edits': 3, auto: 4 };

/** The invariant of each setting, stated independently of the implementation. */
const neverLooser: { [Key in keyof Config]-?: (after: Config, before: Config) => boolean } = {
  provider: (after, before) => after.provider === before.provider,
  model: (after, before) => after.model === before.model,
  helperModel: (after, before) => after.helperModel === before.helperModel,
  fallbackModel: (after, before) => after.fallbackModel === before.fallbackModel,
  routing: (after, before) => JSON.stringify(after.routing) === JSON.stringify(before.routing),
  offline: (after, before) => after.offline || !before.offline,
  tools: (after, before) => after.tools === before.tools,
  limits: (after, before) => JSON.stringify(after.limits) === JSON.stringify(before.limits),
  quotas: ({ quotas: after }, { quotas: before }) =>
    Object.entries(before).every(
      ([pattern, { requestsPerMinute, tokensPerMinute }]) =>
        atMost(after[pattern]?.requestsPerMinute, requestsPerMinute) &&
        atMost(after[pattern]?.tokensPerMinute, tokensPerMinute),
    ),
  apiKey: (after, before) => after.apiKey === before.apiKey,
  apiBaseUrl: (after, before) => after.apiBaseUrl === before.apiBaseUrl,
  providers: (after, before) => JSON.stringify(after.providers) === JSON.stringify(before.providers),
  models: (after, before) => JSON.stringify(after.models) === JSON.stringify(before.models),
  accounts: (after, before) => JSON.stringify(after.accounts) === JSON.stringify(before.accounts),
  aliases: (after, before) => JSON.stringify(after.aliases) === JSON.stringify(before.aliases),
  effort: (after, before) => after.effort === before.effort,
  tier: (after, before) => after.tier === before.tier,
  temperature: (after, before) => atMost(after.temperature, before.temperature),
  maxTokens: (after, before) => atMost(after.maxTokens, before.maxTokens),
  maxTurns: (after, before) => atMost(after.maxTurns, before.maxTurns),
  maxCommandTimeoutMs: (after, before) => atMost(after.maxCommandTimeoutMs, before.maxCommandTimeoutMs),
  maxContextTokens: (after, before) => after.maxContextTokens === before.maxContextTokens,
  summarizationThreshold: (after, before) => after.summarizationThreshold === before.summarizationThreshold,
  promptCache: (after, before) => after.promptCache === before.promptCache,
  vendorSummaries: (after, before) => after.vendorSummaries === before.vendorSummaries,
  mode: (after, before) => looseness[after.mode] <= looseness[before.mode],
  permissions: (after, before) =>
    includesAll(before.permissions.allow, after.permissions.allow) &&
    includesAll(after.permissions.ask, before.permissions.ask) &&
    includesAll(after.permissions.deny, before.permissions.deny),
  publicProject: (after, before) => after.publicProject === before.publicProject,
  projects: (after, before) => JSON.stringify(after.projects) === JSON.stringify(before.projects),
  requireApprovalForReads: (after, before) =>
    after.requireApprovalForReads || !before.requireApprovalForReads,
  requireApprovalForWrites: (after, before) =>
    after.requireApprovalForWrites || !before.requireApprovalForWrites,
  requireApprovalForCommands: (after, before) =>
    after.requireApprovalForCommands || !before.requireApprovalForCommands,
  neverAsk: (after, before) => after.neverAsk || !before.neverAsk,
  blockedCommands: (after, before) => includesAll(after.blockedCommands, before.blockedCommands),
  blockedPaths: (after, before) => includesAll(after.blockedPaths, before.blockedPaths),
  allowedPaths: (after, before) => includesAll(before.allowedPaths, after.allowedPaths),
  additionalDirectories: (after, before) =>
    includesAll(before.additionalDirectories, after.additionalDirectories),
  sandbox: ({ sandbox: after }, { sandbox: before }) =>
    after.kind === before.kind &&
    levels[after.level] <= levels[before.level] &&
    (after.required || !before.required) &&
    after.autoApprove === before.autoApprove &&
    after.image === before.image &&
    includesAll(before.allowedDomains, after.allowedDomains) &&
    includesAll(before.writablePaths, after.writablePaths) &&
    includesAll(before.readablePaths, after.readablePaths),
  redactSecrets: (after, before) => after.redactSecrets || !before.redactSecrets,
  auditLog: (after, before) => after.auditLog || !before.auditLog,
  log: (after, before) => JSON.stringify(after.log) === JSON.stringify(before.log),
  telemetry: (after, before) => JSON.stringify(after.telemetry) === JSON.stringify(before.telemetry),
  theme: () => true,
  colorOutput: () => true,
  statusBar: () => true,
  statusLine: (after, before) => JSON.stringify(after.statusLine) === JSON.stringify(before.statusLine),
  notifications: (after, before) =>
    JSON.stringify(after.notifications) === JSON.stringify(before.notifications),
  outputStyle: (after, before) => after.outputStyle === before.outputStyle,
  editorMode: (after, before) => after.editorMode === before.editorMode,
  keys: (after, before) => JSON.stringify(after.keys) === JSON.stringify(before.keys),
  verbosity: () => true,
  streamOutput: () => true,
  queue: (after, before) => after.queue === before.queue,
  saveHistory: (after, before) => after.saveHistory === before.saveHistory,
  memory: (after, before) => JSON.stringify(after.memory) === JSON.stringify(before.memory),
  otherAssistants: (after, before) =>
    JSON.stringify(after.otherAssistants) === JSON.stringify(before.otherAssistants),
  env: (after, before) => JSON.stringify(after.env) === JSON.stringify(before.env),
  plugins: (after, before) => JSON.stringify(after.plugins) === JSON.stringify(before.plugins),
  hooks: (after, before) => JSON.stringify(after.hooks) === JSON.stringify(before.hooks),
  subagents: (after, before) => after.subagents.parallel === before.subagents.parallel,
  mcpServers: (after, before) => JSON.stringify(after.mcpServers) === JSON.stringify(before.mcpServers),
  sessionDirectory: (after, before) => after.sessionDirectory === before.sessionDirectory,
  maxHistorySize: (after, before) => after.maxHistorySize === before.maxHistorySize,
  cleanupPeriodDays: (after, before) => after.cleanupPeriodDays === before.cleanupPeriodDays,
  storageLimitMb: (after, before) => after.storageLimitMb === before.storageLimitMb,
  undoLimitMb: (after, before) => after.undoLimitMb === before.undoLimitMb,
  cache: (after, before) => JSON.stringify(after.cache) === JSON.stringify(before.cache),
  updates: (after, before) => JSON.stringify(after.updates) === JSON.stringify(before.updates),
  webSearch: (after, before) => JSON.stringify(after.webSearch) === JSON.stringify(before.webSearch),
  voice: (after, before) => JSON.stringify(after.voice) === JSON.stringify(before.voice),
  languageServers: (after, before) =>
    JSON.stringify(after.languageServers) === JSON.stringify(before.languageServers),
  checks: (after, before) => JSON.stringify(after.checks) === JSON.stringify(before.checks),
  network: (after, before) => JSON.stringify(after.network) === JSON.stringify(before.network),
};

function loosened(before: Config, after: Config): string[] {
  return Object.entries(neverLooser).flatMap(([key, holds]) => (holds(after, before) ? [] : [key]));
}

describe('[Y28] tightening', () => {
  sweep([100, 1000])('never loosens anything (%i runs)', (numRuns) => {
    fc.assert(
      fc.property(configInput, configInput, (user, project) => {
        const before = settled(user);
        const { accepted } = tighten(before, project);
        expect(loosened(before, settled(mergeConfig(user, accepted)))).toEqual([]);
      }),
      { numRuns },
    );
  });

  test('reports as ignored exactly what a trusted project would have changed in addition', () => {
    fc.assert(
      fc.property(configInput, configInput, (user, project) => {
        const before = settled(user);
        const { accepted, ignored } = tighten(before, project);
        const trusted = settled(mergeConfig(user, project));
        const sifted = settled(mergeConfig(user, accepted));
        const differing = Object.keys(projectRules).filter(
          (key) =>
            JSON.stringify(trusted[key as keyof Config]) !== JSON.stringify(sifted[key as keyof Config]),
        );
        expect([...new Set(ignored.map((key) => key.split('.')[0]))].sort()).toEqual(differing.sort());
      }),
    );
  });

  test('accepts stricter values', () => {
    const before = settled({ mode: 'auto', requireApprovalForWrites: false });
    const wishes: ConfigInput = {
      mode: 'plan',
      requireApprovalForWrites: true,
      requireApprovalForReads: true,
      permissions: { ask: ['Bash'], deny: ['Fetch'] },
      blockedCommands: ['npm publish'],
      maxTurns: 10,
      maxTokens: 100,
      quotas: { '*': { requestsPerMinute: 5 } },
      sandbox: { level: 'strict', required: true },
      redactSecrets: true,
    };
    expect(tighten(before, wishes)).toEqual({ accepted: wishes, ignored: [] });
  });

  test('refuses a key without a rule', () => {
    const project = { invented: true } as ConfigInput;
    expect(tighten(settled({}), project)).toEqual({ accepted: {}, ignored: ['invented'] });
  });
});

test('every setting declares whether it needs trust', () => {
  const paths = [['model'], ['permissions', 'allow'], ['permissions', 'deny'], ['providers', 'x'], ['theme']];
  expect(paths.map(needsTrust)).toEqual([true, true, false, true, false]);
});

test('user-only settings are removed from a project’s settings, trusted or not', () => {
  expect(withoutUserOnly({ theme: 'dark', telemetry: { enabled: true } })).toEqual({
    input: { theme: 'dark' },
    refused: ['telemetry'],
  });
});
