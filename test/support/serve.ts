import { onTestFinished } from 'vitest';
import type { Step } from './model-server/script.ts';
import { type ModelServer, type ModelServerOptions, startModelServer } from './model-server/server.ts';

/** A scripted model server, closed at the end of the test. */
export async function serve(script: readonly Step[], options?: ModelServerOptions): Promise<ModelServer> {
  const server = await startModelServer(script, options);
  onTestFinished(() => server.close());
  return server;
}
