import { formatKeyPath } from '../../config/key-path.ts';
import { maskSecrets } from '../../config/mask.ts';
import { leavesOf } from '../../config/merge.ts';
import type { HealthCheck, SettingState } from '../../contract/command.ts';
import type { Host } from '../host.ts';
import type { Opened } from '../open-assistant.ts';
import type { Settings } from '../settings.ts';
import { bad, ok, warn } from './check.ts';

/** Settings that are set explicitly, with their origin and without secrets. */
export function settingStates({ config, origins }: Pick<Settings, 'config' | 'origins'>): SettingState[] {
  return [...leavesOf(maskSecrets(config))].flatMap(([names, value]) => {
    const key = formatKeyPath(names);
    const origin = origins[key];
    return origin === undefined ? [] : [{ key, value: JSON.stringify(value), origin }];
  });
}

/** Checks for common problems from within a conversation, without network requests. */
export async function checkHealth(opened: Opened, { env, program }: Host): Promise<HealthCheck[]> {
  const { choice, settings, mcp, extensions } = opened;
  const cwd = opened.controller.session.workingDirectory;
  const { clockCheck, dataRootChecks, programChecks, programsAround, searchCheck } = await import(
    './machine.ts'
  );
  const { logCheck } = await import('./log.ts');
  const { routeChecks, webSearchCheck } = await import('./network.ts');
  const { voiceCheck } = await import('./voice.ts');
  const { otherAssistantChecks, sandboxCheck, settingsChecks } = await import('./settings.ts');
  const plugins = (await extensions.plugins()).map(({ name, version, place, trouble }) =>
    trouble === ''
      ? ok('plugin', `${name} ${version}`)
      : bad('plugin', `${place}: ${trouble}`, 'Fix it, or remove it from the `plugins` setting.'),
  );
  const servers = (mcp?.list() ?? []).map(({ name, phase, trouble, tools }): HealthCheck => {
    if (phase === 'ready') return ok('MCP server', `${name}, ${tools.length} tools`);
    const text = `${name} is ${phase}${trouble === '' ? '' : `: ${trouble}`}`;
    return (phase === 'failed' ? bad : warn)('MCP server', text, `Run \`aca mcp test ${name}\` for details.`);
  });
  return [
    ...programChecks(program),
    ok('model', `${choice.preset.name}/${choice.model} at ${choice.baseUrl}`),
    choice.key || choice.preset.local
      ? ok('key', choice.key ? `from ${choice.key.source}` : 'not needed')
      : bad('key', 'not found', 'Store one with `aca keys set`.'),
    ...(await dataRootChecks(settings.root)),
    sandboxCheck(await opened.sandbox()),
    await searchCheck(),
    await logCheck(opened.record.log),
    ...(await programsAround({ cwd, env })),
    ...(await routeChecks(settings, env)),
    await webSearchCheck(settings, env, choice),
    voiceCheck(settings, { env, cwd }),
    clockCheck(new Date()),
    ...settingsChecks(settings),
    ...otherAssistantChecks(settings, { env, cwd }),
    ...servers,
    ...plugins,
  ];
}
