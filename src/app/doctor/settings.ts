import { describeSandbox } from '../../commands/format/sandbox.ts';
import { settled } from '../../config/schema/check-settings.ts';
import type { HealthCheck } from '../../contract/command.ts';
import { UserError } from '../../contract/errors.ts';
import type { SandboxState } from '../../contract/sandbox.ts';
import { dataRoot, homeFolder } from '../../lib/files/data-root.ts';
import { compareText } from '../../lib/text/compare.ts';
import { missingVariables } from '../../mcp/settings.ts';
import { chooseSandbox } from '../../sandbox/confine/choose.ts';
import { openInHome } from '../../sandbox/confine/home.ts';
import type { SandboxFinding } from '../../sandbox/confine/self-test.ts';
import { commandEnvironment } from '../../sandbox/shell/shell-program.ts';
import type { Host } from '../host.ts';
import { findBelongings } from '../import/belongings.ts';
import { inHome } from '../import/report.ts';
import { loadSettings, type Settings } from '../settings.ts';
import { bad, ok, warn } from './check.ts';

/** The settings; if they cannot be read, the error and the defaults. */
export function readSettings(host: Host): { settings: Settings; troubles: HealthCheck[] } {
  try {
    return { settings: loadSettings({}, host), troubles: [] };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return {
      settings: {
        config: settled({}),
        notices: [],
        origins: {},
        trusted: false,
        pending: null,
        trustable: null,
        rules: [],
        projectFile: null,
        extensions: [],
        others: { found: [], waiting: [] },
        bundles: [],
        root: dataRoot(host.env),
      },
      troubles: error.message.split('\n').map((line) => bad('settings', line, error.hint)),
    };
  }
}

export function settingsChecks({ trusted, pending, notices }: Settings): HealthCheck[] {
  return [
    pending
      ? warn(
          'trust',
          'this folder is not trusted, so some of its files are ignored',
          'Run `aca trust` to review them.',
        )
      : ok(
          'trust',
          trusted
            ? 'this folder is trusted: edits and sandboxed commands run without asking'
            : 'this folder is not trusted: you are asked before every change; `aca trust` ends that',
        ),
    ...notices.map((text) => warn('settings', text, 'Run `aca config path` to see which files are used.')),
  ];
}

/** What there is of other assistants, and what of it has no effect. */
export function otherAssistantChecks(settings: Settings, host: Host): HealthCheck[] {
  const short = (file: string) => inHome(file, homeFolder(host.env));
  return findBelongings(settings, host).map(({ name, settings: found, files }) => {
    const all = [...found.flatMap(({ keys }) => keys), ...files];
    const unsupported = all.filter(({ support }) => support === 'unsupported').map(({ what }) => what);
    const unused = found.filter(({ state }) => state !== 'used').map(({ file }) => short(file));
    const text = [
      `${name}: ${[...found.map(({ file }) => short(file)), ...files.map(({ what }) => what)].join(', ')}`,
      ...(unused.length > 0 ? [`not used, or only what restricts: ${unused.join(', ')}`] : []),
      ...(unsupported.length > 0 ? [`not supported: ${unsupported.join(', ')}`] : []),
    ].join('; ');
    return unused.length + unsupported.length > 0
      ? warn('other assistant', text, 'Run `aca import` for details.')
      : ok('other assistant', text);
  });
}

/** MCP servers that cannot be started; `aca mcp test` finds out whether the others answer. */
export function serverChecks({ config }: Settings, env: Host['env']): HealthCheck[] {
  return Object.entries(config.mcpServers).flatMap(([name, server]) => {
    const missing = server.disabled ? [] : missingVariables(server, env);
    return missing.map((variable) =>
      bad(
        'MCP server',
        `${name} is skipped: ${variable} is not set in the environment`,
        `Set ${variable}, or use \${${variable}:-default} in its settings.`,
      ),
    );
  });
}

export function sandboxCheck(sandbox: SandboxState): HealthCheck {
  const text = `commands run ${describeSandbox(sandbox)}`;
  if (sandbox.kind !== 'host') return ok('sandbox', `${text} (level ${sandbox.level})`);
  return warn(
    'sandbox',
    `${text}: ${sandbox.fallback ?? 'it is turned off'}`,
    'You are asked before each command. Install bubblewrap on Linux, or set `sandbox.kind` and `sandbox.image` to use a container.',
  );
}

/** Tries the sandbox that commands would run in, and lists each attempt. */
export async function sandboxChecks(settings: Settings, host: Host): Promise<HealthCheck[]> {
  const findings: SandboxFinding[] = [];
  const sandbox = await sandboxFor(settings, host, (found) => findings.push(...found));
  return [
    sandboxCheck(sandbox),
    ...homeCheck(sandbox, settings, host),
    ...findings.map(({ name, ok: isOk, detail }) =>
      isOk ? ok(`sandbox: ${name}`, detail) : warn(`sandbox: ${name}`, detail, 'Not used.'),
    ),
  ];
}

/** What commands see of the home folder. */
function homeCheck({ kind }: SandboxState, { config }: Settings, { env }: Host): HealthCheck[] {
  if (kind !== 'bubblewrap' && kind !== 'seatbelt') return [];
  const home = homeFolder(env);
  const { readablePaths } = config.sandbox;
  const { allowedPaths } = config;
  const open = openInHome({ home, env: commandEnvironment(env, []), readablePaths, allowedPaths });
  const names = open.map((file) => inHome(file, home)).toSorted(compareText);
  const text = names.length === 0 ? 'closed to commands' : `closed to commands, except ${names.join(', ')}`;
  return [ok('home folder', text)];
}

/** Tries the sandbox that commands would run in. */
export async function sandboxFor(
  { config }: Settings,
  { env, cwd }: Host,
  onFindings: (findings: SandboxFinding[]) => void,
): Promise<SandboxState> {
  const { kind, level, image, allowedDomains, writablePaths } = config.sandbox;
  const found = await chooseSandbox({
    wanted: kind,
    platform: process.platform,
    env: commandEnvironment(env, []),
    untrusted: [cwd, ...config.additionalDirectories, ...writablePaths],
    image: image !== undefined,
    onFindings,
  });
  if (found.kind === 'host')
    return {
      kind: 'host',
      level,
      network: 'open',
      ...(found.fallback !== undefined && { fallback: found.fallback }),
    };
  const isListed = found.kind === 'bubblewrap' && level === 'standard' && allowedDomains.length > 0;
  const network = level === 'permissive' ? 'open' : isListed ? 'listed' : 'none';
  return { kind: found.kind, level, network };
}
