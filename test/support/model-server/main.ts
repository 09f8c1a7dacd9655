import path from 'node:path';
import { parseArgs } from 'node:util';
import { runnerImport } from 'vite';
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
  const server = await startModelServer(steps, {
    port: Number(port),
    loop: !once,
    keyless,
    degrades: 'nobody looks at the end',
  });
  console.log(`A scripted model of ${steps.length} steps answers at ${server.url}. Ctrl+C ends it.

export ANTHROPIC_BASE_URL=${server.url} ANTHROPIC_API_KEY=scripted
export OPENAI_BASE_URL=${server.url}/v1 OPENAI_API_KEY=scripted
export GOOGLE_GEMINI_BASE_URL=${server.url} GEMINI_API_KEY=scripted
export OLLAMA_HOST=${server.url}`);
  process.once('SIGINT', () => void server.close());
  process.once('SIGTERM', () => void server.close());
}

/** Loaded with Vite: the oldest supported Node cannot import TypeScript. */
async function load(file: string): Promise<Step[]> {
  const from = path.resolve(file);
  const { module } = await runnerImport<{ script?: unknown }>(from, { configFile: false, logLevel: 'error' });
  const { script } = module;
  if (!Array.isArray(script)) throw new Error(`${from} must export its steps as \`script\`.`);
  return script;
}
