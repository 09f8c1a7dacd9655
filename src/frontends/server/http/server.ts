import type { RunningServer, ServerOptions } from './types.ts';

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  throw new Error(`Not built yet: ${options.folder}`);
}
