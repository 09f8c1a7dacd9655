import type { OpenedSession } from '../../chat/connection.ts';

export type Choice = { value: string; name: string };
export type KnownOptions = { models: Choice[]; modes: Choice[] };

const KEY = 'aca.options';

/** The server offers models and modes per session; new ones can choose from what the last one offered. */
export function knowOptions({ modes, configOptions }: OpenedSession): void {
  const model = configOptions?.find(({ id }) => id === 'model');
  const options = model?.type === 'select' ? model.options : [];
  const flat = options.flatMap((one) => ('options' in one ? one.options : [one]));
  const known: KnownOptions = {
    models: flat.map(({ value, name }) => ({ value, name })),
    modes: modes?.availableModes.map(({ id, name }) => ({ value: id, name })) ?? [],
  };
  localStorage.setItem(KEY, JSON.stringify(known));
}

export function knownOptions(): KnownOptions {
  try {
    return { models: [], modes: [], ...JSON.parse(localStorage.getItem(KEY) ?? '{}') };
  } catch {
    return { models: [], modes: [] };
  }
}
