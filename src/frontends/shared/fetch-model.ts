import { loadSettings } from '../../app/settings.ts';
import { UserError } from '../../contract/errors.ts';
import { curatedModels, FIRST_MODEL } from '../../embedded/models/curated.ts';
import { pullModel } from './hub-model.ts';
import { setUpRuntime } from './set-up-runtime.ts';
import type { Terminal } from './terminal.ts';

export type FetchStep = 'runtime' | 'first model';

/**
 * Downloads what an embedded model needs, without further questions. False when a step failed, which is
 * printed.
 */
export async function fetchModelParts(
  steps: readonly FetchStep[],
  { terminal, print }: { terminal: Terminal; print(text: string): void },
): Promise<boolean> {
  try {
    if (steps.includes('runtime')) await setUpRuntime({ yes: true }, terminal);
    if (steps.includes('first model')) await pullFirstModel(terminal);
    return true;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    print(`${error.message}\n${error.hint}\n`);
    return false;
  }
}

async function pullFirstModel(terminal: Terminal): Promise<void> {
  const first = curatedModels.find(({ name }) => name === FIRST_MODEL);
  if (!first) throw new Error(`${FIRST_MODEL} is not in the list of models`);
  const settings = loadSettings({}, terminal);
  await pullModel(first, { settings, terminal, consent: 'given' });
}
