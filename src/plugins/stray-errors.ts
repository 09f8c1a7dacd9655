import { thrownMessage, traceOf } from './plain-copy.ts';

/**
 * Errors that a plugin throws asynchronously, in a timer for example, are reported and not fatal. Errors
 * without a stack trace (a rejection with a plain value, a file system error) are attributed to plugins, too.
 * Any other ends the program as usual. Returns a function that stops it.
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
