// @module-tag soak
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { workspace } from '../workspace.ts';

async function startProgram(...args: string[]) {
  const child = spawn(process.execPath, [
    'scripts/run-ts.mjs',
    'test/support/model-server/main.ts',
    '--port',
    '0',
    ...args,
  ]);
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for await (const chunk of child.stdout) {
    output += String(chunk);
    if (output.includes('OLLAMA_HOST=')) break;
  }
  return { child, output, url: /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0] ?? '' };
}

async function ask(url: string): Promise<string> {
  const body = JSON.stringify({ model: 'm', stream: false, messages: [{ role: 'user', content: 'hi' }] });
  const answer = await (await fetch(`${url}/api/chat`, { method: 'POST', body })).json();
  return answer.message.content;
}

test('the program serves a script from a TypeScript file, repeatedly, until it is stopped', async () => {
  const { root } = await workspace();
  const words = path.resolve('test/support/model-server/script.ts');
  const script = `import { says } from ${JSON.stringify(words)};\nexport const script = [says('one' as string), says('two')];\n`;
  await writeFile(path.join(root, 'scene.ts'), script);

  const { child, output, url } = await startProgram('--script', path.join(root, 'scene.ts'));
  expect(output).toContain(`export ANTHROPIC_BASE_URL=${url} ANTHROPIC_API_KEY=scripted`);
  expect(output).toContain(`export OPENAI_BASE_URL=${url}/v1`);
  expect([await ask(url), await ask(url), await ask(url)]).toEqual(['one', 'two', 'one']);

  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('the demo works without arguments', async () => {
  const { url } = await startProgram();
  expect(await ask(url)).toBe('Let me look at the folder.');
});
