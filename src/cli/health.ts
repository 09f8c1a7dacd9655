import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import process from 'node:process';
import { describeSandbox } from '../commands/sandbox-words.ts';
import { formatKeyPath } from '../config/key-path.ts';
import { maskSecrets } from '../config/mask.ts';
import { leavesOf } from '../config/merge.ts';
import type { HealthCheck, LogDesk, SettingState } from '../contract/command.ts';
import type { Opened, Settings } from './open.ts';

const DAY_MS = 86_400_000;
const MOST_WARNINGS = 50;

/** What somebody has set, who has, and no secret. */
export function settingStates({ config, origins }: Pick<Settings, 'config' | 'origins'>): SettingState[] {
  return [...leavesOf(maskSecrets(config))].flatMap(([names, value]) => {
    const key = formatKeyPath(names);
    const origin = origins[key];
    return origin === undefined ? [] : [{ key, value: JSON.stringify(value), origin }];
  });
}

/** Looks into what usually goes wrong; nothing is sent to anybody. */
export async function checkHealth(opened: Opened): Promise<HealthCheck[]> {
  const { choice, settings, mcp, extensions } = opened;
  const sandbox = await opened.sandbox();
  const plugins = (await extensions.plugins()).map(({ name, version, place, trouble }) =>
    trouble === '' ? ok('plugin', `${name} ${version}`) : bad('plugin', `${place}: ${trouble}`),
  );
  const servers = (mcp?.list() ?? []).map(({ name, phase, trouble, tools }): HealthCheck => {
    if (phase === 'ready') return ok('MCP server', `${name}, ${tools.length} tools`);
    const state = phase === 'failed' ? 'bad' : 'warn';
    return { name: 'MCP server', state, text: `${name} is ${phase}${trouble === '' ? '' : `: ${trouble}`}` };
  });
  return [
    ok('program', `Node ${process.version} on ${process.platform} ${process.arch}`),
    ok('model', `${choice.preset.name}/${choice.model} at ${choice.baseUrl}`),
    choice.key || choice.preset.local
      ? ok('key', keyText(choice))
      : bad('key', 'none was found; see `aca keys`'),
    await folderCheck(settings.root),
    sandbox.kind === 'host'
      ? {
          name: 'sandbox',
          state: 'warn',
          text: `commands run ${describeSandbox(sandbox)}: ${sandbox.fallback ?? 'it is switched off'}`,
        }
      : ok('sandbox', `commands run ${describeSandbox(sandbox)}`),
    await searchCheck(),
    await logCheck(opened.record.log),
    settings.trusted
      ? ok('trust', 'this folder is trusted')
      : {
          name: 'trust',
          state: settings.pending ? 'warn' : 'ok',
          text: 'this folder is not trusted; `aca trust` shows what that would change',
        },
    ...settings.notices.map((text): HealthCheck => ({ name: 'settings', state: 'warn', text })),
    ...servers,
    ...plugins,
  ];
}

function ok(name: string, text: string): HealthCheck {
  return { name, state: 'ok', text };
}

function bad(name: string, text: string): HealthCheck {
  return { name, state: 'bad', text };
}

function keyText({ key }: Opened['choice']): string {
  return key ? `from ${key.source}` : 'none is needed';
}

async function folderCheck(root: string): Promise<HealthCheck> {
  try {
    await mkdir(root, { recursive: true });
    await access(root, constants.R_OK | constants.W_OK);
    return ok('data root', root);
  } catch (error) {
    return bad('data root', `${root} cannot be written: ${(error as Error).message}`);
  }
}

/** Warnings of the last day; older ones are history. */
async function logCheck({ file, warnings }: LogDesk): Promise<HealthCheck> {
  const since = new Date(Date.now() - DAY_MS).toISOString();
  const recent = (await warnings(MOST_WARNINGS)).filter(({ timestamp }) => timestamp > since);
  const last = recent.at(-1);
  if (!last) return ok('log', `no warnings today; it is ${file}`);
  const count = `${recent.length === MOST_WARNINGS ? 'over ' : ''}${recent.length}`;
  return {
    name: 'log',
    state: 'warn',
    text: `${count} warnings today, \`/diag\` shows them; the last one: ${last.message.split('\n')[0]} (${file})`,
  };
}

async function searchCheck(): Promise<HealthCheck> {
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    await access(rgPath, constants.X_OK);
    return ok('search', 'ripgrep is there');
  } catch (error) {
    return bad('search', `ripgrep is missing, so Grep and Glob fail: ${(error as Error).message}`);
  }
}
