import type { PluginPlace } from '../../../app/plugins/marketplaces.ts';
import { loadSettings } from '../../../app/settings.ts';
import { UserError } from '../../../contract/errors.ts';
import type { Terminal } from '../../../frontends/shared/terminal.ts';

/** Ctrl+C stops git. */
export function placeOf(terminal: Terminal): PluginPlace {
  const { config, root } = loadSettings({}, terminal);
  const stop = new AbortController();
  terminal.onSignal('SIGINT', () => stop.abort(new UserError('Cancelled.', 'Nothing was changed.')));
  const { cwd, env } = terminal;
  return { dataRoot: root, cwd, env, offline: config.offline, signal: stop.signal };
}
