/**
 * Errors that a plugin throws where nobody waits for it, in a timer for example, are told and not fatal. Any other
 * ends the program as it would without us. Returns the way to stop.
 */
export function catchStrayErrors(
  plugins: readonly { name: string; file: string; folder: string | null }[],
  notice: (text: string) => void,
): () => void {
  const caught = (error: unknown) => {
    const stack = error instanceof Error ? (error.stack ?? '') : '';
    const plugin = plugins.find(({ file, folder }) => stack.includes(folder ?? file));
    if (!plugin) throw error;
    notice(`The plugin ${plugin.name} failed in the background: ${(error as Error).message}.`);
  };
  process.on('uncaughtException', caught);
  process.on('unhandledRejection', caught);
  return () => {
    process.off('uncaughtException', caught);
    process.off('unhandledRejection', caught);
  };
}
