import { thrownMessage, traceOf } from './plain-copy.ts';

/**
 * Errors that a plugin throws where nobody waits for it, in a timer for example, are told and not fatal. What has no
 * trace of where it came from (a rejection with a plain value, an error of the file system) is taken for a plugin's,
 * too. Any other ends the program as it would without us. Returns the way to stop.
 */
export function catchStrayErrors(
  plugins: readonly { name: string; file: string; folder: string | null }[],
  notice: (text: string) => void,
): () => void {
  const caught = (error: unknown) => {
    const stack = traceOf(error);
    const plugin = plugins.find(({ file, folder }) => stack.includes(folder ?? file));
    if (!plugin && /^\s+at /m.test(stack)) throw error;
    const who = plugin ? `The plugin ${plugin.name}` : 'A plugin';
    notice(`${who} failed in the background: ${thrownMessage(error)}.`);
  };
  process.on('uncaughtException', caught);
  process.on('unhandledRejection', caught);
  return () => {
    process.off('uncaughtException', caught);
    process.off('unhandledRejection', caught);
  };
}
