import * as z from 'zod';
import { parseLimits } from '../../contract/limit.ts';
import type { PermissionMode } from '../../contract/permission.ts';
import { cacheSettings } from './cache-settings.ts';
import { contextSettings } from './context-settings.ts';
import { hookSettings } from './hook-settings.ts';
import { checkSettings, languageServerSettings } from './language-server-settings.ts';
import { logSettings } from './log-settings.ts';
import { mcpServer, mcpServerName } from './mcp-server.ts';
import { effortSetting, modelOverride, tierSetting, vendor } from './model-settings.ts';
import { otherAssistants } from './other-assistants.ts';
import { quotaSettings } from './quota-settings.ts';
import { sandboxSettings } from './sandbox-settings.ts';
import { count, list, text } from './setting-kinds.ts';
import { notificationSettings, statusLineSettings } from './terminal-settings.ts';
import { updateSettings } from './update-settings.ts';
import { voiceSettings } from './voice-settings.ts';
import { webSearchSettings } from './web-search-settings.ts';

/** From strictest to loosest. */
export const modesByStrictness = [
  'read-only',
  'plan',
  'default',
  'accept-edits',
  'auto',
] as const satisfies readonly PermissionMode[];

/** `auto` follows the terminal's background. */
export const themes = [
  'auto',
  'dark',
  'light',
  'ember',
  'fjord',
  'moss',
  'paper',
  'mist',
  'clear-dark',
  'clear-light',
] as const;

/** Parts of the status line on the interactive screen. */
export const statusParts = [
  'model',
  'mode',
  'context',
  'cost',
  'cache',
  'branch',
  'sandbox',
  'shells',
  'elapsed',
] as const;

const limit = (description: string) =>
  z
    .string()
    .refine(
      (text) => parseLimits(text) !== null,
      'It must be a limit such as "$5", "500k tokens" or "40 turns".',
    )
    .exactOptional()
    .describe(description);

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'iu') instanceof RegExp;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/**
 * All settings; each schema is created on first use, because a start needs few of them. No transforms: the
 * validated input is also what is merged. Lists from several sources are concatenated, tables merge by name,
 * anything else is replaced by the later source.
 */
export const settings = {
  provider: text(
    'Provider to use: anthropic, openai, google, local, another built-in name or one from `providers` (default: the first one with a key or a running server)',
  ),
  model: text(
    "Model to use: provider/model, an alias or a model name (default: the provider's default model)",
  ),
  helperModel: text(
    "Cheaper model for background tasks such as summaries (default: the provider's cheapest known model); `none` turns background tasks off",
  ),
  fallbackModel: text(
    'Model to use while `model` is overloaded or unreachable; `local` for any model on this machine',
  ),
  routing: () =>
    z
      .array(
        z.strictObject({
          match: z
            .string()
            .min(1)
            .refine(isPattern, 'It must be a valid regular expression.')
            .describe('Case-insensitive regular expression to find in the prompt'),
          model: z.string().min(1).describe('Model to use for matching prompts'),
        }),
      )
      .default([])
      .describe(
        'Use other models for some prompts. The first matching rule applies, and you see a notice each time',
      ),
  offline: () =>
    z
      .boolean()
      .default(false)
      .describe('Send requests only to this machine and its local network, also those to models'),
  tools: () =>
    z
      .enum(['auto', 'full', 'minimal'])
      .default('auto')
      .describe(
        'Tools offered to the model: all, or a minimal set for small models; auto decides by context window',
      ),
  apiKey: text('API key for `provider`; an environment variable or `aca keys set PROVIDER` is safer'),
  apiBaseUrl: () =>
    z
      .url({ protocol: /^https?$/ })
      .exactOptional()
      .describe('Base URL of the API of `provider`, instead of the default'),
  providers: () =>
    z
      .record(z.string().min(1), vendor())
      .default({})
      .describe('Custom providers, and overrides for built-in ones, by name'),
  accounts: () =>
    z
      .record(z.string().min(1), z.string().min(1))
      .default({})
      .describe(
        'Named account to use, by provider: the key stored with `aca keys set PROVIDER --name NAME` (default: the usual key)',
      ),
  models: () =>
    z
      .record(z.string().min(1), modelOverride())
      .default({})
      .describe('Overrides for built-in model data, by provider/model'),
  aliases: () =>
    z
      .record(z.string().min(1), z.string().min(1))
      .default({})
      .describe('Short names for models, each mapped to provider/model'),
  effort: () => effortSetting(),
  tier: () => tierSetting(),
  temperature: () =>
    z.number().min(0).max(2).exactOptional().describe('Sampling temperature sent to the model'),
  maxTokens: () => count().exactOptional().describe("Maximum tokens per reply (default: the model's limit)"),
  maxTurns: () => count().default(200).describe('Maximum number of model replies per run'),

  limits: () =>
    z
      .strictObject({
        run: limit(
          'Limit per run in dollars, tokens or turns, such as `$5`, `500k tokens` or `$5 and 40 turns`',
        ),
        session: limit('Limit per session'),
        day: limit('Limit per day, across all sessions'),
      })
      .prefault({})
      .describe('Spending limits; a request that could exceed one is not sent'),
  quotas: () =>
    quotaSettings()
      .default({})
      .describe('Rate limits by provider/model, with `*` as a wildcard; requests over the limit wait'),

  ...contextSettings,

  mode: () =>
    z
      .enum(modesByStrictness)
      .default('default')
      .describe('Permission mode: what runs without asking, from strictest to loosest'),
  permissions: () =>
    z
      .strictObject({
        allow: list('Tool calls to allow without asking, such as `Bash(npm test)`'),
        ask: list('Tool calls to always ask about'),
        deny: list('Tool calls to deny'),
        trust: list(
          'Tool calls that need no approval even after the model has read untrusted text, such as `mcp:tracker`, `WebFetch(domain:example.com)` or `Bash(git push *)`',
        ),
      })
      .prefault({})
      .describe('Permission rules for tool calls'),
  publicProject: () => z.boolean().default(false).describe("The project's files are public"),
  projects: () =>
    z
      .record(
        z.string().min(1),
        z.strictObject({
          granted: z
            .record(z.string().min(1), z.string())
            .default({})
            .describe('Tool calls you approved with "always", exactly as shown, with the time of approval'),
        }),
      )
      .default({})
      .describe('Tool calls you approved with "always", by working directory'),
  requireApprovalForReads: () => z.boolean().default(false).describe('Ask before reading files'),
  requireApprovalForWrites: () => z.boolean().default(true).describe('Ask before changing files'),
  requireApprovalForCommands: () => z.boolean().default(true).describe('Ask before running commands'),
  maxCommandTimeoutMs: () =>
    count()
      .default(600_000)
      .describe(
        'Longest timeout in milliseconds that the model can set for a command; commands without one stop after two minutes',
      ),
  neverAsk: () =>
    z.boolean().default(false).describe('Refuse tool calls that would need your approval, instead of asking'),
  blockedCommands: () => list('Commands to block, in addition to the built-in list'),
  blockedPaths: () => list('Path patterns to block, in addition to the built-in list'),
  allowedPaths: () => list('Path patterns exempt from the built-in block list'),
  additionalDirectories: () => list('Folders to work in, in addition to the working directory'),
  sandbox: () => sandboxSettings().prefault({}).describe('Sandbox for commands'),
  redactSecrets: () =>
    z
      .boolean()
      .default(true)
      .describe('Replace secrets with placeholders in everything sent to a provider or server'),
  auditLog: () => z.boolean().default(true).describe('Write every permission decision to the audit log'),
  log: () => logSettings().prefault({}).describe('Diagnostic log'),

  telemetry: () =>
    z
      .strictObject({
        enabled: z
          .boolean()
          .default(false)
          .describe(
            'Send metrics and traces to the OpenTelemetry collector set in the OTEL_ variables; projects cannot turn this on',
          ),
        farewellMs: count()
          .default(800)
          .describe('Maximum time in milliseconds to wait on exit for unsent data'),
      })
      .prefault({})
      .describe('Metrics and traces for your own collector'),

  subagents: () =>
    z
      .strictObject({
        parallel: count()
          .default(4)
          .describe('Maximum number of subagents an agent runs in parallel; others wait'),
      })
      .prefault({})
      .describe('Agents that the model delegates work to'),
  mcpServers: () =>
    z
      .record(mcpServerName(), mcpServer())
      .default({})
      .describe('MCP servers by name; each provides tools, resources and prompts'),
  otherAssistants: () =>
    otherAssistants()
      .prefault({})
      .describe('Your personal files of other assistants; change it with `aca import`'),
  env: () =>
    z
      .record(z.string().regex(/^(?!AI_ASSISTANT_)[A-Za-z_]\w*$/), z.string())
      .default({})
      .describe('Environment variables for commands, hooks and MCP servers'),
  plugins: () => list('Plugins to load: paths relative to this file, or names of installed packages'),
  hooks: () => hookSettings().prefault({}).describe('Commands that run in the sandbox at certain points'),

  theme: () => z.enum(themes).default('auto').describe('Colour theme of the terminal interface'),
  colorOutput: () => z.boolean().default(true).describe('Use colours in output'),
  statusBar: () =>
    z
      .array(z.enum(statusParts))
      .default(['mode', 'sandbox', 'shells', 'branch', 'model', 'context', 'cost'])
      .describe(
        'Parts of the status line above the prompt: mode, sandbox, shells and branch on the left, the others on the right, each half in this order',
      ),
  statusLine: () =>
    statusLineSettings()
      .exactOptional()
      .describe('Your own status line: a command whose output is shown above the built-in one'),
  notifications: () =>
    notificationSettings()
      .prefault({})
      .describe('Notifications in the terminal interface when a question waits or a long run ends'),
  outputStyle: () =>
    z
      .string()
      .min(1)
      .default('default')
      .describe(
        'How the model answers: `default`, `explanatory`, `learning`, or the name of a file in `output-styles`',
      ),
  editorMode: () => z.enum(['emacs', 'vim']).default('emacs').describe('Editing keys of the prompt'),
  keys: () =>
    z
      .record(z.string().min(1), z.union([z.string().min(1), z.array(z.string().min(1))]))
      .default({})
      .describe(
        'Custom key bindings by action, such as `submit: ctrl+enter`; an empty list removes all keys of an action',
      ),
  verbosity: () => z.enum(['quiet', 'normal', 'verbose']).default('normal').describe('Amount of output'),
  queue: () =>
    z
      .enum(['steer', 'after'])
      .default('steer')
      .describe(
        'When a prompt sent during a run reaches the model: `steer` with the next tool results, `after` when the run has ended',
      ),
  streamOutput: () => z.boolean().default(true).describe('Show replies as they arrive'),

  saveHistory: () => z.boolean().default(true).describe('Save sessions'),
  memory: () =>
    z
      .strictObject({
        enabled: z.boolean().default(true).describe('Save memories and recall them in later sessions'),
        embeddings: z
          .string()
          .min(1)
          .default('auto')
          .describe(
            'Embedding model for semantic memory search: `auto` uses one on this machine, `off` turns it off, or name a provider/model',
          ),
      })
      .prefault({})
      .describe('Memory across sessions'),
  sessionDirectory: text('Folder for sessions (default: `sessions` in the data root)'),
  maxHistorySize: () => count().default(1000).describe('Maximum number of prompts kept in the input history'),
  cleanupPeriodDays: () =>
    count().default(30).describe('Days after which unused sessions are removed; pinned sessions are kept'),
  storageLimitMb: () =>
    count()
      .default(4096)
      .describe(
        'Maximum size of all sessions in MB; beyond it, the least recently used ones are removed, after a notice',
      ),
  undoLimitMb: () =>
    count()
      .default(2048)
      .describe(
        'Maximum size of undo data in MB per working directory; beyond it, the oldest runs can no longer be undone',
      ),

  webSearch: () => webSearchSettings().prefault({}).describe('Web search'),
  voice: () => voiceSettings().prefault({}).describe('Voice input'),

  languageServers: () =>
    languageServerSettings()
      .prefault({})
      .describe('Language servers: new errors after changes, and navigation in code'),
  checks: () =>
    checkSettings()
      .default([])
      .describe(
        'Commands that check the code after the model changed files; they run in the sandbox, and the model learns what is new in their output',
      ),

  cache: () => cacheSettings().prefault({}).describe('Caching of results'),
  updates: () => updateSettings().prefault({}).describe('Update checks'),

  network: () =>
    z
      .strictObject({
        caFile: z.string().min(1).exactOptional().describe('PEM file of additional certificates to trust'),
        silenceMs: count()
          .exactOptional()
          .describe(
            'Maximum time in milliseconds without output from a model (default: 5 minutes before the first token, 3 minutes between tokens, longer for local models)',
          ),
      })
      .prefault({})
      .describe('Network settings'),
} satisfies Record<string, () => z.ZodType>;

export type Shape = { [Key in keyof typeof settings]: ReturnType<(typeof settings)[Key]> };

export type Config = z.output<z.ZodObject<Shape, z.core.$strict>>;
export type ConfigInput = z.input<z.ZodObject<Shape, z.core.$strict>>;

/** Accepted aliases. `negate` marks a switch with the opposite meaning. */
export const keyAliases: Readonly<Record<string, { key: keyof Config; negate?: true }>> = {
  streamResponses: { key: 'streamOutput' },
  confirmBeforeWrite: { key: 'requireApprovalForWrites' },
  autoApproveReads: { key: 'requireApprovalForReads', negate: true },
  historyPath: { key: 'sessionDirectory' },
};
