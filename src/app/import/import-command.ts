import { UserError } from '../../contract/errors.ts';
import type { Host } from '../host.ts';
import type { Settings } from '../settings.ts';
import { assistantsNamed, copySettings, decide, showBelongings } from './import.ts';

/** `/import`: what it answers to its arguments. */
export async function answerImport(args: readonly string[], settings: Settings, host: Host): Promise<string> {
  const [action = 'show', ...rest] = args;
  const place = { settings, host };
  const which = assistantsNamed(rest.filter((word) => word !== '--project'));
  switch (action) {
    case 'show':
      return showBelongings(place).replaceAll('aca import ', '/import ');
    case 'use':
    case 'ignore':
      return decide(which, action, place);
    case 'copy':
      return copySettings(which, { isProject: rest.includes('--project') }, place);
    default:
      throw new UserError(`Unknown action "${action}".`, 'Use /import show, use, ignore or copy.');
  }
}
