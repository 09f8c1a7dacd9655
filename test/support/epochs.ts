import { Epochs, type EpochsDeps } from '../../src/assembly/window/epochs.ts';

/** The epochs of a conversation whose prefix is this system prompt. */
export function epochsOf(
  { session, writer }: Pick<EpochsDeps, 'session' | 'writer'>,
  system: string,
): Epochs {
  const prefix = { reader: 'p', system, tools: [], stated: {} };
  return new Epochs({
    session,
    writer,
    build: async () => prefix,
    reader: () => prefix.reader,
    outgoing: (value) => value,
  });
}
