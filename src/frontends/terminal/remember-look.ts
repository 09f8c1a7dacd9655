import type { Settings } from '../../app/settings.ts';
import { modesByStrictness } from '../../config/schema/schema.ts';
import type { Options } from '../shared/options.ts';
import type { Terminal } from '../shared/terminal.ts';
import { dropLook, keepLook, readLook } from './early/look-file.ts';
import { unknownStatus } from './initial-status.ts';
import type { Screen } from './screen.ts';
import { lookOf } from './theme/look.ts';

type Place = { settings: Settings; options: Pick<Options, 'mode'>; terminal: Pick<Terminal, 'env'> };

/** Saves the screen's appearance, so that the next start can paint it before anything is loaded. */
export function rememberLook({ surroundings }: Pick<Screen, 'surroundings'>, place: Place): void {
  const { settings, options, terminal } = place;
  const { config, root } = settings;
  const { env } = terminal;
  // With custom keys the early prompt could show a wrong effect.
  if (Object.keys(config.keys).length > 0) {
    dropLook(root, env);
    return;
  }
  // A mode from the command line does not apply to the next start.
  const mode = options.mode === undefined ? config.mode : modeBefore(root, env);
  const { theme } = surroundings.now;
  const { statusBar } = config;
  keepLook(root, env, lookOf({ theme, statusBar, status: { ...unknownStatus, mode } }, modesByStrictness));
}

function modeBefore(root: string, env: NodeJS.ProcessEnv): Settings['config']['mode'] {
  const known = readLook(root, env)?.mode;
  return modesByStrictness.find((mode) => mode === known) ?? 'default';
}
