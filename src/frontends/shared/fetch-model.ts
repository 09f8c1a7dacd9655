import { loadSettings } from '../../app/settings.ts';
import { UserError } from '../../contract/errors.ts';
import type { HubFile } from '../../embedded/models/hub.ts';
import { pullModel } from './hub-model.ts';
import { setUpRuntime } from './set-up-runtime.ts';
import type { Terminal } from './terminal.ts';

/** The runtime, or a model. */
export type FetchStep = 'runtime' | HubFile;

type FetchDeps = { terminal: Terminal; signal: AbortSignal; print(text: string): void };

/**
 * Downloads what an embedded model needs, without further questions. False when a step failed or was stopped,
 * which is printed.
 */
export async function fetchModelParts(
  steps: readonly FetchStep[],
  { terminal, signal, print }: FetchDeps,
): Promise<boolean> {
  const settings = loadSettings({}, terminal);
  try {
    for (const step of steps) {
      if (step === 'runtime') await setUpRuntime({ yes: true, signal, next: 'none' }, terminal);
      else await pullModel(step, { settings, terminal, consent: 'given', signal });
    }
    return true;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    print(signal.aborted ? 'Stopped. Choose it again to resume.\n' : `${error.message}\n${error.hint}\n`);
    return false;
  }
}
