import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { demo } from './demo-script.ts';
import type { Step } from './script.ts';
import { startModelServer } from './server.ts';

const USAGE = `Usage: npm run mock-llm -- [--port 4010] [--script demo|PATH.ts] [--once] [--keyless]

Serves a scripted model over the Anthropic, OpenAI, Gemini and Ollama protocols on one port.
A script file exports its steps as \`script\`. The script begins again after its last step, unless --once.`;

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4010' },
    script: { type: 'string', default: 'demo' },
    once: { type: 'boolean', default: false },
    keyless: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) {
  console.log(USAGE);
} else {
  const steps = values.script === 'demo' ? demo : await load(values.script);
  const { port, once, keyless } = values;
  const server = await startModelServer(steps, { port: Number(port), loop: !once, keyless });
  console.log(`A scripted model of ${steps.length} steps answers at ${server.url}. Ctrl+C ends it.

export ANTHROPIC_BASE_URL=${server.url} ANTHROPIC_API_KEY=scripted
export OPENAI_BASE_URL=${server.url}/v1 OPENAI_API_KEY=scripted
export GOOGLE_GEMINI_BASE_URL=${server.url} GEMINI_API_KEY=scripted
export OLLAMA_HOST=${server.url}`);
  process.once('SIGINT', () => void server.close());
  process.once('SIGTERM', () => void server.close());
}

/** TypeScript is bundled first: the oldest supported Node cannot import it. */
async function load(file: string): Promise<Step[]> {
  const from = path.resolve(file);
  const bundled = await build({
    entryPoints: [from],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'warning',
  });
  const code = bundled.outputFiles[0]?.text ?? '';
  const module: unknown = await import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`);
  const { script } = module as { script?: unknown };
  if (!Array.isArray(script)) throw new Error(`${from} must export its steps as \`script\`.`);
  return script;
}
