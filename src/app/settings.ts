import path from 'node:path';
import { loadBundles, type PluginBundle } from '../assembly/extensions/plugin-bundles.ts';
import { ruleCheck } from '../assembly/safety/rule-check.ts';
import { withAccount } from '../config/keys/accounts.ts';
import { type LoadedConfig, loadConfig } from '../config/load.ts';
import type { Config, ConfigInput } from '../config/schema/schema.ts';
import { UserError } from '../contract/errors.ts';
import { dataRoot } from '../lib/files/data-root.ts';
import type { RuleProblem } from '../permissions/pattern/rule-problem.ts';
import { useTableIn } from '../providers/models/model-table.ts';
import { keepPublishedIn } from '../providers/models/published-store.ts';
import { SessionStore } from '../session/store.ts';
import type { Host } from './host.ts';
import { serversIn } from './opening/mcp-flags.ts';
import type { SessionOptions } from './options.ts';

export type Settings = LoadedConfig & {
  root: string;
  /** The plugins that the user installed and trusted. */
  bundles: readonly PluginBundle[];
};

export function loadSettings(options: Partial<SessionOptions>, { env, cwd }: Host): Settings {
  const root = dataRoot(env);
  useTableIn(root);
  keepPublishedIn(root);
  const mcpServers = serversIn(options.mcpConfig ?? [], cwd);
  const loaded = withPlugins(
    root,
    loadConfig({
      home: root,
      cwd,
      env,
      flags: { ...flagsOf(options, cwd), ...(Object.keys(mcpServers).length > 0 && { mcpServers }) },
      trusted: options.trust === true,
    }),
  );
  const { account } = options;
  if (account !== undefined) loaded.config.accounts = withAccount(loaded.config.accounts, account);
  if (options.strictMcpConfig)
    loaded.config.mcpServers = pick(loaded.config.mcpServers, Object.keys(mcpServers));
  return {
    ...loaded,
    notices: [...loaded.notices, ...ruleNotices(loaded, cwd), ...skippingNotice(options)],
    root,
  };
}

/** With the servers and modules of the plugins that the user installed; the user's own come first. */
export function withPlugins(root: string, loaded: LoadedConfig): LoadedConfig & Pick<Settings, 'bundles'> {
  const { bundles, notices } = loadBundles(root);
  const servers = Object.assign({}, ...bundles.map((bundle) => bundle.servers));
  const modules = bundles.flatMap(({ parts }) => (parts.isModule ? [parts.root] : []));
  const { config } = loaded;
  return {
    ...loaded,
    config: {
      ...config,
      mcpServers: { ...servers, ...config.mcpServers },
      plugins: [...config.plugins, ...modules],
    },
    notices: [...loaded.notices, ...notices],
    bundles,
  };
}

/** What the user asked for does not exist here, and what they get instead. */
function skippingNotice({ skipping, mode }: Partial<SessionOptions>): string[] {
  if (skipping === undefined) return [];
  const means =
    mode === 'auto'
      ? 'means --mode auto here, which never asks; what would need approval is refused unless --allow permits it'
      : `has no effect with --mode ${mode}`;
  return [`${skipping} ${means}. Deny rules and blocked commands always apply.`];
}

function pick<Value>(table: Record<string, Value>, names: readonly string[]): Record<string, Value> {
  return Object.fromEntries(Object.entries(table).filter(([name]) => names.includes(name)));
}

/**
 * Rules that do not do what they seem to. Throws for text that is not a rule, and for a rule that was written to restrict
 * something and restricts nothing; those of other assistants may name tools that exist only there.
 */
export function ruleNotices(
  { rules, config }: Pick<LoadedConfig, 'rules' | 'config'>,
  cwd: string,
): string[] {
  const problemWith = ruleCheck(config, cwd);
  const problems = rules.flatMap((rule) => {
    const problem = problemWith(rule);
    return problem ? [{ ...problem, isError: problem.restrictsNothing && !rule.isForeign }] : [];
  });
  const wrong = problems.filter(({ isError }) => isError).map(({ text }) => text);
  if (wrong.length > 0) throw new UserError(wrong.join('\n'), 'Correct the rule, or remove it.');
  return problems.map(({ text }) => text);
}

/** For deny rules outside the settings: what is wrong with one, or null. Throws for text that is not a rule. */
export function denyRuleCheck(
  config: Config,
  cwd: string,
): (rule: string, place: string) => RuleProblem | null {
  const problemWith = ruleCheck(config, cwd);
  return (rule, place) => problemWith({ verdict: 'deny', rule, place });
}

export function sessionStore(settings: Pick<Settings, 'config' | 'root'>): SessionStore {
  return new SessionStore(sessionFolder(settings), path.join(settings.root, 'grants.key'));
}

/** The folder of the session files. */
export function sessionFolder({ config, root }: Pick<Settings, 'config' | 'root'>): string {
  return config.sessionDirectory ?? path.join(root, 'sessions');
}

function flagsOf(options: Partial<SessionOptions>, cwd: string): ConfigInput {
  const { model, maxTurns, mode, offline, budget = [], allow = [], deny = [], addDir = [] } = options;
  const { fallbackModel, effort, tier, sandbox } = options;
  const verbosity = options.quiet ? 'quiet' : options.verbose ? 'verbose' : undefined;
  return {
    ...(model !== undefined && { model }),
    ...(offline && { offline }),
    ...(fallbackModel !== undefined && { fallbackModel }),
    ...(effort !== undefined && { effort }),
    ...(tier !== undefined && { tier }),
    ...(sandbox !== undefined && { sandbox: { level: sandbox } }),
    ...(options.neverAsk && { neverAsk: true }),
    ...(options.sessionPersistence === false && { saveHistory: false }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(mode !== undefined && { mode }),
    ...(budget.length > 0 && { limits: { run: budget.join(' and ') } }),
    ...(verbosity !== undefined && { verbosity }),
    ...(options.debug && { log: { level: 'debug' as const } }),
    ...(allow.length + deny.length > 0 && { permissions: { allow, deny } }),
    ...(addDir.length > 0 && { additionalDirectories: addDir.map((folder) => path.resolve(cwd, folder)) }),
  };
}
