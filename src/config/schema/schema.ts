import * as z from 'zod';
import { parseLimits } from '../../contract/limit.ts';
import type { PermissionMode } from '../../contract/permission.ts';
import { cacheSettings } from './cache-settings.ts';
import { hookSettings } from './hook-settings.ts';
import { logSettings } from './log-settings.ts';
import { mcpServer, mcpServerName } from './mcp-server.ts';
import { modelOverride, vendor } from './model-settings.ts';
import { quotaSettings } from './quota-settings.ts';
import { sandboxSettings } from './sandbox-settings.ts';
import { count, list, text } from './setting-kinds.ts';
import { updateSettings } from './update-settings.ts';

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

/** What the last row of the interactive screen can tell. */
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
    .refine((text) => parseLimits(text) !== null, 'It must be such as "$5", "500k tokens" or "40 turns".')
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
 * Every setting there is, each made when it is first looked at: a start looks at few. No transforms: what a file says, once checked, is also what is merged.
 * Lists of several sources add up, tables merge by name, anything else is replaced by the later source.
 */
export const settings = {
  provider: text(
    'Which vendor answers: anthropic, openai, google, local, another built-in name or one of `providers`; without it, the first vendor a key or server is found for',
  ),
  model: text("Model as provider/model, an alias, or a bare name; without it, the provider's default"),
  helperModel: text(
    "Cheaper model for side jobs such as summaries; without it, the vendor's cheapest known one; `none` for no side jobs",
  ),
  fallbackModel: text(
    'Model that stands in while `model` is overloaded or cannot be reached; `local` for any on this machine',
  ),
  routing: () =>
    z
      .array(
        z.strictObject({
          match: z
            .string()
            .min(1)
            .refine(isPattern, 'It must be a regular expression.')
            .describe('A regular expression that the prompt is searched for, in upper or lower case'),
          model: z.string().min(1).describe('The model that answers such a prompt'),
        }),
      )
      .default([])
      .describe('Other models for some prompts: the first row that matches; each use is told'),
  offline: () =>
    z
      .boolean()
      .default(false)
      .describe('Only models on this machine or its network; nothing is fetched from elsewhere'),
  tools: () =>
    z
      .enum(['auto', 'full', 'minimal'])
      .default('auto')
      .describe(
        'Which tools a model is offered: all, or the few that fit a small one; auto goes by its window',
      ),
  apiKey: text('Key for `provider`; an environment variable or `keys set` is a safer place'),
  apiBaseUrl: () =>
    z
      .url({ protocol: /^https?$/ })
      .exactOptional()
      .describe('Where `provider` answers, instead of its usual address'),
  providers: () =>
    z
      .record(z.string().min(1), vendor())
      .default({})
      .describe('Vendors of your own, and changes to built-in ones, by name'),
  models: () =>
    z
      .record(z.string().min(1), modelOverride())
      .default({})
      .describe('Facts that replace the built-in ones, by provider/model'),
  aliases: () =>
    z
      .record(z.string().min(1), z.string().min(1))
      .default({})
      .describe('Short names for models, each standing for provider/model'),
  effort: () =>
    z
      .enum(['low', 'medium', 'high'])
      .exactOptional()
      .describe("How hard a thinking model thinks; without it, the vendor's default"),
  temperature: () =>
    z.number().min(0).max(2).exactOptional().describe('Sampling temperature sent to the model'),
  maxTokens: () =>
    count().exactOptional().describe("Most tokens of one reply; without it, the model's own limit"),
  maxTurns: () => count().default(200).describe('Most model replies in one run before it is stopped'),

  limits: () =>
    z
      .strictObject({
        run: limit('For each run: dollars, tokens or turns, such as `$5`, `500k tokens`, `$5 and 40 turns`'),
        session: limit('For a session, from its first run on'),
        day: limit('For a day, of all sessions together'),
      })
      .prefault({})
      .describe('What may be spent; a call that could go past a limit is not made'),
  quotas: () =>
    quotaSettings()
      .default({})
      .describe(
        'How much may be asked in a minute, by provider/model with `*` for any characters; past it a call waits',
      ),

  maxContextTokens: () =>
    count().exactOptional().describe("Most tokens sent in one request; without it, the model's window"),
  summarizationThreshold: () =>
    z
      .number()
      .min(0.1)
      .max(1)
      .default(0.9)
      .describe('Share of the window past which older messages are summarised'),

  mode: () =>
    z
      .enum(modesByStrictness)
      .default('default')
      .describe('What may happen without asking, from strictest to loosest'),
  permissions: () =>
    z
      .strictObject({
        allow: list('Calls that need no question, such as `Bash(npm test)`'),
        ask: list('Calls that always need a question'),
        deny: list('Calls that are refused'),
      })
      .prefault({})
      .describe('Rules for tool calls'),
  projects: () =>
    z
      .record(
        z.string().min(1),
        z.strictObject({
          granted: z
            .record(z.string().min(1), z.string())
            .default({})
            .describe('Calls that "always" was said to, each exactly as it was seen, and when'),
        }),
      )
      .default({})
      .describe('What was answered with "always", by the real path of the working directory'),
  requireApprovalForReads: () => z.boolean().default(false).describe('Ask before files are read'),
  requireApprovalForWrites: () => z.boolean().default(true).describe('Ask before files are changed'),
  requireApprovalForCommands: () => z.boolean().default(true).describe('Ask before commands run'),
  maxCommandTimeoutMs: () =>
    count()
      .default(600_000)
      .describe(
        'Longest time in milliseconds the model may give a command; without a word of it, two minutes',
      ),
  blockedCommands: () => list('Commands that are refused, besides the built-in ones'),
  blockedPaths: () => list('Path patterns that are refused, besides the built-in ones'),
  allowedPaths: () => list('Path patterns excepted from the built-in refusals'),
  additionalDirectories: () => list('Folders to work in besides the working directory'),
  sandbox: () => sandboxSettings().prefault({}).describe('What stands between commands and the machine'),
  redactSecrets: () =>
    z
      .boolean()
      .default(true)
      .describe('Whether secret values are replaced by placeholders in what is sent to a vendor or a server'),
  auditLog: () => z.boolean().default(true).describe('Whether every judged call is written to the audit log'),
  log: () => logSettings().prefault({}).describe('The log for whoever looks for a cause'),

  telemetry: () =>
    z
      .strictObject({
        enabled: z
          .boolean()
          .default(false)
          .describe(
            'Whether metrics and traces are sent to the OpenTelemetry collector that the OTEL_ variables name; no project can switch it on',
          ),
        farewellMs: count()
          .default(800)
          .describe(
            'Longest time in milliseconds that the end of the program waits for what is still unsent',
          ),
      })
      .prefault({})
      .describe('What is told to a collector of yours'),

  subagents: () =>
    z
      .strictObject({
        parallel: count()
          .default(4)
          .describe('How many subagents of one agent work side by side; others wait'),
      })
      .prefault({})
      .describe('Agents that the model hands work on to'),
  mcpServers: () =>
    z
      .record(mcpServerName(), mcpServer())
      .default({})
      .describe('MCP servers by name: each brings its tools, resources and prompts'),
  plugins: () => list('Plugins: paths from where this file is, or names of installed packages'),
  hooks: () => hookSettings().prefault({}).describe('Commands that run at certain points, in the sandbox'),

  theme: () => z.enum(themes).default('auto').describe('Colours of the interactive screen'),
  colorOutput: () => z.boolean().default(true).describe('Whether output is coloured'),
  statusBar: () =>
    z
      .array(z.enum(statusParts))
      .default([...statusParts])
      .describe('What the row above the prompt tells, in this order'),
  editorMode: () =>
    z.enum(['emacs', 'vim']).default('emacs').describe('Keys of the prompt on the interactive screen'),
  keys: () =>
    z
      .record(z.string().min(1), z.union([z.string().min(1), z.array(z.string().min(1))]))
      .default({})
      .describe(
        'Keys of your own by action, such as `submit: ctrl+enter`; an empty list takes them all away',
      ),
  verbosity: () => z.enum(['quiet', 'normal', 'verbose']).default('normal').describe('How much is told'),
  streamOutput: () => z.boolean().default(true).describe('Whether replies are shown as they arrive'),

  saveHistory: () => z.boolean().default(true).describe('Whether sessions are kept'),
  memory: () =>
    z
      .strictObject({
        enabled: z
          .boolean()
          .default(true)
          .describe('Whether notes are kept and told from session to session'),
        embeddings: z
          .string()
          .min(1)
          .default('auto')
          .describe(
            'What finds notes by meaning: `auto` takes an embedding model on this machine, `off` none, provider/model that one',
          ),
      })
      .prefault({})
      .describe('What is remembered'),
  sessionDirectory: text('Where sessions are kept; without it, `sessions` in the data root'),
  maxHistorySize: () => count().default(1000).describe('Most prompts kept for the arrow keys'),
  cleanupPeriodDays: () =>
    count().default(30).describe('Days after which an unused session is removed; pinned ones stay'),
  storageLimitMb: () =>
    count()
      .default(4096)
      .describe(
        'What sessions may take up together; past it those used longest ago go first, after a notice',
      ),
  undoLimitMb: () =>
    count()
      .default(2048)
      .describe(
        'What may be kept for undo in each working directory; past it the oldest runs can no longer be taken back',
      ),

  cache: () => cacheSettings().prefault({}).describe('What is kept so that it need not be done again'),
  updates: () => updateSettings().prefault({}).describe('News of newer versions'),

  network: () =>
    z
      .strictObject({
        caFile: z
          .string()
          .min(1)
          .exactOptional()
          .describe('Certificates (PEM) to trust besides the usual ones'),
        silenceMs: count()
          .exactOptional()
          .describe(
            'Longest silence of a model in milliseconds; without it, minutes: 5 before its first word, 3 between two, more on this machine',
          ),
      })
      .prefault({})
      .describe('How servers are reached'),
} satisfies Record<string, () => z.ZodType>;

export type Shape = { [Key in keyof typeof settings]: ReturnType<(typeof settings)[Key]> };

export type Config = z.output<z.ZodObject<Shape, z.core.$strict>>;
export type ConfigInput = z.input<z.ZodObject<Shape, z.core.$strict>>;

/** Other spellings that are read. `negate` marks a switch whose meaning is the other way round. */
export const keyAliases: Readonly<Record<string, { key: keyof Config; negate?: true }>> = {
  streamResponses: { key: 'streamOutput' },
  confirmBeforeWrite: { key: 'requireApprovalForWrites' },
  autoApproveReads: { key: 'requireApprovalForReads', negate: true },
  historyPath: { key: 'sessionDirectory' },
};
