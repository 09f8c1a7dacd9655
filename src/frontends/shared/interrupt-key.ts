const CTRL_C = 0x03;

/**
 * Runs work that Ctrl+C stops, and nothing else: outside raw mode the terminal would send a signal, which ends the
 * whole program.
 */
export async function withInterruptKey<T>(
  stdin: NodeJS.ReadStream,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const onData = (data: Buffer | string) => {
    if (Buffer.from(data).includes(CTRL_C)) stop.abort(new DOMException('Stopped by Ctrl+C.', 'AbortError'));
  };
  stdin.setRawMode(true);
  stdin.on('data', onData).resume();
  try {
    return await work(stop.signal);
  } finally {
    stdin.off('data', onData).pause();
    stdin.setRawMode(false);
  }
}
