import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BASE, FILES, HOME, readOther, type SettingsCase } from '../../../test/support/other-settings.ts';
import type { AssistantName } from '../schema/other-assistants.ts';
import type { ConfigInput } from '../schema/schema.ts';
import { readSettings } from './read.ts';
import { userSources } from './sources.ts';

/** What each file means in our settings. */
const CASES: SettingsCase[] = [
  [
    'claude',
    'permission rules',
    { permissions: { allow: ['Bash(git log:*)'], ask: ['Edit'], deny: ['Read(./.env)', 'mcp__db'] } },
    { permissions: { allow: ['Bash(git log:*)'], ask: ['Edit'], deny: ['Read(./.env)', 'mcp__db'] } },
  ],
  [
    'claude',
    'folders',
    { permissions: { additionalDirectories: ['../docs/', '~/notes'] } },
    { additionalDirectories: ['../docs/', '~/notes'] },
  ],
  ...(
    [
      ['default', { mode: 'default' }],
      ['plan', { mode: 'plan' }],
      ['acceptEdits', { mode: 'accept-edits' }],
      ['auto', { mode: 'auto' }],
      ['bypassPermissions', { mode: 'auto' }],
      ['dontAsk', { neverAsk: true }],
    ] as [string, ConfigInput][]
  ).map(
    ([defaultMode, input]): SettingsCase => [
      'claude',
      `mode ${defaultMode}`,
      { permissions: { defaultMode } },
      input,
    ],
  ),
  [
    'claude',
    'auto mode where that is disabled',
    { permissions: { defaultMode: 'auto', disableAutoMode: 'disable' } },
    { mode: 'default' },
  ],
  [
    'claude',
    'hooks',
    {
      hooks: {
        PreToolUse: [
          { matcher: 'Bash', hooks: [{ type: 'command', command: './check.sh', timeout: 10 }] },
          { matcher: '', hooks: [{ type: 'command', command: 'log' }] },
        ],
        Stop: [
          {
            hooks: [
              { type: 'command', command: 'a' },
              { type: 'command', command: 'b' },
            ],
          },
        ],
      },
    },
    {
      hooks: {
        PreToolUse: [
          { matcher: 'Bash', hooks: [{ type: 'command', command: './check.sh', timeout: 10 }] },
          { hooks: [{ type: 'command', command: 'log' }] },
        ],
        Stop: [
          { hooks: [{ type: 'command', command: 'a' }] },
          { hooks: [{ type: 'command', command: 'b' }] },
        ],
      },
    },
  ],
  ['claude', 'no hooks', { disableAllHooks: true, hooks: { Stop: [{ hooks: [{ command: 'a' }] }] } }, {}],
  [
    'claude',
    'variables, also those that are settings here',
    {
      env: {
        NODE_ENV: 'test',
        DEBUG: 1,
        ANTHROPIC_BASE_URL: 'https://proxy.example',
        ANTHROPIC_AUTH_TOKEN: 'token',
        BASH_MAX_TIMEOUT_MS: '9000',
      },
    },
    {
      env: { NODE_ENV: 'test', DEBUG: '1' },
      providers: { anthropic: { baseUrl: 'https://proxy.example', apiKey: 'token' } },
      maxCommandTimeoutMs: 9000,
    },
  ],
  ['claude', 'a model by alias', { model: 'opus' }, { model: 'opus' }],
  ['claude', 'a model with a large window', { model: 'sonnet[1m]' }, { model: 'sonnet' }],
  [
    'claude',
    'a model for plans',
    { model: 'opusplan', effortLevel: 'xhigh' },
    { model: 'opus', effort: 'xhigh' },
  ],
  ['claude', 'the default model', { model: 'default', cleanupPeriodDays: 7 }, { cleanupPeriodDays: 7 }],
  [
    'claude',
    'the sandbox',
    {
      sandbox: {
        enabled: true,
        failIfUnavailable: true,
        network: { allowedDomains: ['npmjs.org'], deniedDomains: ['evil.example'] },
        filesystem: { allowWrite: ['build', '~/.cache'], denyWrite: ['/etc/app'], denyRead: ['~/.aws/**'] },
      },
    },
    {
      sandbox: {
        autoApprove: true,
        required: true,
        allowedDomains: ['npmjs.org'],
        writablePaths: [path.join(BASE, 'build'), '~/.cache'],
      },
      permissions: { deny: ['Edit(//etc/app)', 'Read(~/.aws/**)', 'WebFetch(domain:evil.example)'] },
    },
  ],
];

describe('the settings of Claude Code', () => {
  test.each(CASES)('%s: %s', (assistant, _title, written, input) => {
    const reading = readOther(assistant, written);
    expect(reading.notices).toEqual([]);
    expect(reading.input).toEqual(input);
  });

  test('rules carry the line they are written at', () => {
    const { rules } = readOther(
      'claude',
      '{\n  "permissions": {\n    "deny": [\n      "Bash(rm:*)"\n    ]\n  }\n}',
    );
    expect(rules).toEqual([
      { verdict: 'deny', rule: 'Bash(rm:*)', place: `${path.join(BASE, FILES.claude)}:4:7` },
    ]);
  });

  test('servers that are denied are turned off', () => {
    const { disables } = readOther('claude', {
      disabledMcpjsonServers: ['a'],
      deniedMcpServers: [{ serverName: 'b' }, { serverUrl: 'https://x' }],
    });
    expect(disables).toEqual(['a', 'b']);
  });

  test('the state of Claude Code has servers for all projects and for one', () => {
    const [source] = userSources({ HOME }).filter(({ file }) => file.endsWith('.claude.json'));
    const state = {
      numStartups: 3,
      mcpServers: { all: { type: 'stdio', command: 'a' } },
      projects: {
        [BASE]: { mcpServers: { one: { type: 'http', url: 'https://x' } }, allowedTools: ['Bash(ls)'] },
        '/other': { mcpServers: { not: { command: 'c' } } },
      },
    };
    const place = { base: HOME, home: HOME, folders: [BASE] };
    const reading = source && readSettings(source, JSON.stringify(state), place);
    expect(reading?.input).toEqual({
      mcpServers: { all: { type: 'stdio', command: 'a' }, one: { type: 'http', url: 'https://x' } },
      permissions: { allow: ['Bash(ls)'] },
    });
    expect(reading?.findings.map(({ key }) => key)).toEqual(['mcpServers']);
  });
});

describe('what cannot be used', () => {
  test('a state file holds credentials: however it is broken, only the place is named', () => {
    const [source] = userSources({ HOME }).filter(({ file }) => file.endsWith('.claude.json'));
    const place = { base: HOME, home: HOME, folders: [] };
    const whole = '{"oauth": {"token": "CANARY-4711"}, "keys": ["CANARY-0815"], "mcpServers": {}}';
    const broken = [...whole].flatMap((_, i) => [
      whole.slice(0, i + 1),
      `${whole.slice(0, i)}CANARY${whole.slice(i)}`,
      whole.slice(0, i) + whole.slice(i + 1),
      `${whole.slice(0, i)}\n${whole.slice(i)}`,
    ]);
    let count = 0;
    for (const text of ['CANARY-4711', ...broken]) {
      const notices = (source && readSettings(source, text, place).notices) ?? [];
      count += notices.length;
      for (const notice of notices) {
        expect(notice).toMatch(
          /\.claude\.json:\d+:\d+: this is not valid JSON: [a-z ]+\. The file is ignored\.$/,
        );
        expect(notice).not.toMatch(/CANARY|4711|oauth|token/);
      }
    }
    expect(count).toBeGreaterThan(100);
  });

  const BROKEN: [AssistantName, string, RegExp][] = [
    [
      'claude',
      '{\n "permissions": {\n',
      /settings\.json:3:1: this is not valid JSON.*The file is ignored\.$/,
    ],
    [
      'codex',
      'model = "a"\nsandbox_mode =\n',
      /config\.toml:2:\d+: this is not valid TOML.*The file is ignored\.$/s,
    ],
    ['gemini', '[]', /settings\.json:1:1: settings must be an object/],
    ['opencode', '{ "mcp": ', /opencode\.json:1:\d+: this is not valid JSON/],
  ];
  test.each(BROKEN)('%s: a broken file is one notice with its line', (assistant, text, notice) => {
    const reading = readOther(assistant, text);
    expect(reading.notices).toEqual([expect.stringMatching(notice)]);
    expect(reading.input).toEqual({});
  });

  const PARTS: [AssistantName, unknown, ConfigInput, RegExp][] = [
    [
      'claude',
      { permissions: { deny: ['Bash(', 7, 'Edit'], defaultMode: 'yolo' }, model: 3 },
      { permissions: { deny: ['Edit'] } },
      /"Bash\(" is not a permission rule.*a rule must be text.*unknown mode.*model must be a string/s,
    ],
    [
      'claude',
      {
        hooks: {
          PreToolUse: [{ hooks: [{ type: 'agent', prompt: 'x' }, { command: 'a' }] }],
          Other: [{ hooks: [{ command: 'b' }] }],
        },
      },
      { hooks: { PreToolUse: [{ hooks: [{ command: 'a' }] }] } },
      /PreToolUse.*Other/s,
    ],
    [
      'cursor',
      { permissions: { deny: ['Fly(x)', 'Shell(rm)'] } },
      { permissions: { deny: ['Bash(rm:*)'] } },
      /Fly\(x\)/,
    ],
    [
      'gemini',
      { excludeTools: ['fly', 'glob'] },
      { permissions: { deny: ['Glob'] } },
      /there is no tool fly here/,
    ],
    [
      'opencode',
      { permission: { fly: 'deny', edit: 'never', bash: 'deny' } },
      { permissions: { deny: ['Bash'] } },
      /fly.*allow, ask or deny/s,
    ],
    [
      'codex',
      'approval_policy = "sometimes"\nmodel = "a"',
      { model: 'openai/a' },
      /config\.toml:1: approval_policy is ignored/,
    ],
    [
      'opencode',
      { mcp: { bad: 1, good: { type: 'local', command: ['a'] } } },
      { mcpServers: { good: { command: 'a' } } },
      /bad/,
    ],
  ];
  test.each(PARTS)('%s: the rest of the file works (%j)', (assistant, written, input, notices) => {
    const reading = readOther(assistant, written);
    expect(reading.input).toEqual(input);
    expect(reading.notices.join('\n')).toMatch(notices);
  });

  test('a restriction without effect is a notice; other keys are findings', () => {
    const { notices, findings } = readOther('claude', {
      availableModels: ['opus'],
      statusLine: { type: 'command', command: 'x' },
      sandbox: { enabled: true, unknown: 1 },
      fancy: true,
      model: 'opus',
    });
    expect(notices).toEqual([
      expect.stringMatching(/availableModels restricts Claude Code but has no effect here\./),
    ]);
    expect(findings.map(({ key, support }) => [key, support])).toEqual([
      ['availableModels', 'unsupported'],
      ['statusLine', 'differs'],
      ['sandbox.enabled', 'works'],
      ['sandbox.unknown', 'unsupported'],
      ['fancy', 'unsupported'],
      ['model', 'differs'],
    ]);
  });

  test('no text makes a reader fail', () => {
    const json = fc.jsonValue({ maxDepth: 3 });
    const keys = fc.constantFrom(
      ...[
        'permissions',
        'allow',
        'deny',
        'hooks',
        'PreToolUse',
        'env',
        'model',
        'mcpServers',
        'mcp',
        'agent',
      ],
      ...[
        'permission',
        'bash',
        'tools',
        'exclude',
        'sandbox',
        'filesystem',
        'disabledMcpjsonServers',
        'general',
      ],
    );
    const tree = fc.letrec<{ node: unknown }>((tie) => ({
      node: fc.oneof({ maxDepth: 4 }, json, fc.dictionary(keys, tie('node')), fc.array(tie('node'))),
    })).node;
    const assistants = fc.constantFrom(...(Object.keys(FILES) as AssistantName[]));
    fc.assert(
      fc.property(
        assistants,
        fc.oneof(
          tree.map((value) => JSON.stringify(value)),
          fc.string(),
        ),
        (name, text) => {
          expect(Array.isArray(readOther(name, text).notices)).toBe(true);
        },
      ),
    );
  });
});
