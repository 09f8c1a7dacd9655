import path from 'node:path';
import { isObject } from '../../lib/text/json.ts';
import {
  listAt,
  type Part,
  partAt,
  pathInRule,
  type Reader,
  ruleParts,
  type Table,
  tableAt,
} from './part.ts';
import { asTexts, commonServer, serverParts } from './server-part.ts';

const MODES: Readonly<Record<string, Table>> = {
  default: { mode: 'default' },
  manual: { mode: 'default' },
  plan: { mode: 'plan' },
  acceptEdits: { mode: 'accept-edits' },
  auto: { mode: 'auto' },
  bypassPermissions: { mode: 'auto' },
  dontAsk: { neverAsk: true },
};

/** Variables that change Claude Code itself, as settings of ours. */
const VARIABLES: Readonly<Record<string, (value: string) => Table>> = {
  ANTHROPIC_MODEL: (value) => ({ model: modelOf(value) }),
  ANTHROPIC_SMALL_FAST_MODEL: (value) => ({ helperModel: value }),
  ANTHROPIC_BASE_URL: (value) => ({ providers: { anthropic: { baseUrl: value } } }),
  ANTHROPIC_API_KEY: (value) => ({ providers: { anthropic: { apiKey: value } } }),
  ANTHROPIC_AUTH_TOKEN: (value) => ({ providers: { anthropic: { apiKey: value } } }),
  BASH_MAX_TIMEOUT_MS: (value) => ({ maxCommandTimeoutMs: Number(value) }),
  CLAUDE_CODE_MAX_OUTPUT_TOKENS: (value) => ({ maxTokens: Number(value) }),
};

/** `settings.json` and `settings.local.json`. */
export const readClaude: Reader = (value, place) => {
  const permissions = tableAt(value, 'permissions');
  return [
    ...(['allow', 'ask', 'deny'] as const).flatMap((verdict) =>
      ruleParts(verdict, ['permissions', verdict], listAt(permissions, verdict)),
    ),
    ...partAt(value, ['permissions', 'additionalDirectories'], (folders) => ({
      input: { additionalDirectories: folders },
    })),
    ...partAt(value, ['permissions', 'defaultMode'], (mode) => modePart(mode, permissions)),
    ...hookParts(value),
    ...variableParts(tableAt(value, 'env')),
    ...partAt(value, ['model'], (model) => (model === 'default' ? {} : { input: { model: modelOf(model) } })),
    ...partAt(value, ['effortLevel'], (effort) => ({ input: { effort } })),
    ...partAt(value, ['statusLine'], (line) => ({ input: { statusLine: pickKnown(line) } })),
    ...partAt(value, ['outputStyle'], (style) => ({ input: { outputStyle: style } })),
    ...partAt(value, ['cleanupPeriodDays'], (days) => ({ input: { cleanupPeriodDays: days } })),
    ...serverParts(tableAt(value, 'mcpServers'), { key: ['mcpServers'], convert: commonServer }),
    ...partAt(value, ['disabledMcpjsonServers'], () => ({
      disables: namesIn(listAt(value, 'disabledMcpjsonServers')),
    })),
    ...partAt(value, ['deniedMcpServers'], () => ({
      disables: namesIn(
        listAt(value, 'deniedMcpServers').map((one) => (isObject(one) ? one.serverName : one)),
      ),
    })),
    ...sandboxParts(tableAt(value, 'sandbox'), place.base),
  ];
};

/** `~/.claude.json`, which also holds much that is no setting. */
export const readClaudeState: Reader = (value, { folders }) => {
  const convert = commonServer;
  const projects = tableAt(value, 'projects');
  return [
    ...serverParts(tableAt(value, 'mcpServers'), { key: ['mcpServers'], convert }),
    ...folders.flatMap((folder) => {
      const project = tableAt(projects, folder);
      const key = ['projects', folder];
      return [
        ...serverParts(tableAt(project, 'mcpServers'), { key: [...key, 'mcpServers'], convert }),
        ...ruleParts('allow', [...key, 'allowedTools'], listAt(project, 'allowedTools')),
        ...partAt(project, ['disabledMcpjsonServers'], () => ({
          disables: namesIn(listAt(project, 'disabledMcpjsonServers')),
        })),
      ];
    }),
  ];
};

function modePart(mode: unknown, permissions: Table): Omit<Part, 'key'> {
  const input = MODES[String(mode)];
  if (!input || !Object.hasOwn(MODES, String(mode)))
    return { problem: `unknown mode; use ${Object.keys(MODES).join(', ')}.` };
  return {
    input: permissions.disableAutoMode === 'disable' && mode === 'auto' ? { mode: 'default' } : input,
  };
}

/** Each command by itself, so that one that cannot run here does not take others with it. */
function hookParts(value: Table): Part[] {
  if (value.disableAllHooks === true) return [];
  return Object.entries(tableAt(value, 'hooks')).flatMap(([event, groups]) =>
    (Array.isArray(groups) ? groups : [groups]).flatMap((group, i): Part[] => {
      const key = ['hooks', event, i];
      if (!isObject(group)) return [{ key, problem: 'it must be a table with hooks.' }];
      const { hooks, ...others } = group;
      return listAt(group, 'hooks').map((hook, j) => ({
        key: [...key, 'hooks', j],
        input: { hooks: { [event]: [{ ...matcherOf(others), hooks: [hook] }] } },
      }));
    }),
  );
}

function matcherOf({ matcher }: Table): Table {
  return matcher === undefined || matcher === '' ? {} : { matcher };
}

function variableParts(env: Table): Part[] {
  return Object.entries(asTexts(env)).map(([name, value]) => ({
    key: ['env', name],
    input:
      Object.hasOwn(VARIABLES, name) && typeof value === 'string'
        ? (VARIABLES[name]?.(value) ?? {})
        : { env: { [name]: value } },
  }));
}

/** `sonnet[1m]` asks for a large window, which is the model's own here; `opusplan` switches models. */
function modelOf(model: unknown): unknown {
  if (typeof model !== 'string') return model;
  const name = model.replace(/\[1m\]$/, '');
  return name === 'opusplan' ? 'opus' : name;
}

function sandboxParts(sandbox: Table, base: string): Part[] {
  const at = (key: string[], make: (inner: unknown) => Table) =>
    partAt(sandbox, key, (inner) => ({ input: { sandbox: make(inner) } })).map((part) => ({
      ...part,
      key: ['sandbox', ...part.key],
    }));
  const files = tableAt(sandbox, 'filesystem');
  const texts = (key: string) => namesIn(listAt(files, key));
  const domains = namesIn(listAt(tableAt(sandbox, 'network'), 'deniedDomains'));
  const isFree = sandbox.enabled === true && sandbox.autoAllowBashIfSandboxed !== false;
  return [
    ...at(['enabled'], () => (isFree ? { autoApprove: true } : {})),
    ...at(['failIfUnavailable'], (required) => ({ required })),
    ...at(['network', 'allowedDomains'], (allowedDomains) => ({ allowedDomains })),
    ...at(['filesystem', 'allowWrite'], () => ({
      writablePaths: texts('allowWrite').map((name) =>
        name.startsWith('~') ? name : path.resolve(base, name),
      ),
    })),
    ...ruleParts('deny', ['sandbox', 'filesystem', 'denyWrite'], texts('denyWrite').map(ruleFor('Edit'))),
    ...ruleParts('deny', ['sandbox', 'filesystem', 'denyRead'], texts('denyRead').map(ruleFor('Read'))),
    ...ruleParts(
      'deny',
      ['sandbox', 'network', 'deniedDomains'],
      domains.map((name) => `WebFetch(domain:${name})`),
    ),
  ];
}

function ruleFor(tool: string): (file: string) => string {
  return (file) => `${tool}(${pathInRule(file)})`;
}

function namesIn(list: readonly unknown[]): string[] {
  return list.filter((one) => typeof one === 'string');
}

/** Its newer keys only affect how it looks there. */
function pickKnown(line: unknown): unknown {
  if (!isObject(line)) return line;
  return Object.fromEntries(
    Object.entries(line).filter(([key]) => ['type', 'command', 'padding'].includes(key)),
  );
}
