import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Report } from '../../src/app/conversation/run-report.ts';
import { aca } from '../support/aca.ts';
import { calls, type Step, says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak, sweep } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

async function play(script: Step[]) {
  const space = await workspace({ 'a.txt': 'alpha\n' });
  const server = await serve(script, { keyless: true, lenient: true });
  const args = ['-p', 'go', '--model', 'llamacpp/tiny', '--output-format', 'json'];
  const { code, stdout } = await aca(space, args, { env: { LLAMACPP_BASE_URL: `${server.url}/v1` } });
  return { space, server, code, report: JSON.parse(stdout) as Report };
}

const read = calls(['Read', { file_path: 'a.txt' }]);
const often = (step: (i: number) => Step) => Array.from({ length: 60 }, (_, i) => step(i));

describe('a run that gets nowhere stops, after the model was told', () => {
  sweep(
    [
      {
        loop: 'refused edits',
        steps: often((i) => calls(['Write', { file_path: `f${i}`, content: 'x' }])),
        most: 12,
        says: 'all failed or were refused',
      },
      {
        loop: 'missing files',
        steps: often((i) => calls(['Read', { file_path: `f${i}` }])),
        most: 12,
        says: 'all failed or were refused',
      },
      {
        loop: 'two calls in turn',
        steps: often((i) => (i % 2 === 0 ? read : calls(['Glob', { pattern: '*' }]))),
        most: 6,
        says: 'repeated the same 2 steps 3 times',
      },
      {
        loop: 'an unknown tool and a call in turn',
        steps: often((i) => (i % 2 === 0 ? read : calls(['Fly', { to: 'Rome' }]))),
        most: 24,
        says: 'the same',
      },
      {
        loop: 'a search with other words',
        steps: often((i) => calls(['Grep', { pattern: `nothing${i}` }])),
        most: 12,
        says: 'always got the same result',
      },
    ],
    1,
  )('$loop', async ({ steps, most, says: words }) => {
    const { server, code, report } = await play(steps);
    expect({ code, stopReason: report.stopReason }).toEqual({ code: 1, stopReason: 'error' });
    expect(report.error?.message).toContain(words);
    expect(report.error?.hint).toContain('Tell it what to do instead');
    expect(server.requests.length).toBeLessThanOrEqual(most);
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('[You are repeating yourself: ');
  });
});

describe('a reply that is no answer', () => {
  test('an endless one is cut and not continued', async () => {
    const endless = `${'I will now read the file. '.repeat(20_000)}`;
    const { server, code, report } = await play([says(endless), says('never')]);
    expect(code).toBe(1);
    expect(report.error?.message).toContain('repeated the same text without end');
    expect(JSON.stringify(report).length).toBeLessThan(20_000);
    expect(server.requests).toHaveLength(1);
  });

  test(
    'a thought that is not closed comes back to the model, and is the answer if nothing else comes',
    soak,
    async () => {
      const thought = '<think>I think about it. The answer is 42.';
      const asked = await play([says(thought), says('It is 42.')]);
      expect(asked.report).toMatchObject({ result: 'It is 42.', stopReason: 'done' });
      expect(JSON.stringify(asked.server.requests[1]?.body)).toContain('The answer is 42.');
      const { code, report } = await play([says(thought), says(thought)]);
      expect({ code, result: report.result }).toEqual({
        code: 0,
        result: expect.stringContaining('The answer is 42.'),
      });
    },
  );

  test('a call that cannot be read is asked for again, and never printed', soak, async () => {
    const { server, code, report } = await play([
      says('[TOOL_CALLS]Read[ARGS]{"file_path": "a'),
      read,
      says('alpha'),
    ]);
    expect({ code, result: report.result }).toEqual({ code: 0, result: 'alpha' });
    expect(server.requests).toHaveLength(3);
  });
});

test('a repaired call is marked in the journal, and the model sees the correct form once', async () => {
  const broken = calls(['Read', {}, { rawArguments: "{'file_path': 'a.txt', 'limit': None,}" }]);
  const { space, server, report } = await play([broken, broken, says('alpha')]);
  expect(report.result).toBe('alpha');
  const results = server.requests.map(({ messages }) => messages.at(-1)?.results[0]?.text ?? '');
  expect(results.map((text) => text.includes('[Your call was not valid and was repaired.'))).toEqual([
    false,
    true,
    false,
  ]);
  const root = path.join(space.home, '.ai-assistant');
  const files = await readdir(root, { recursive: true });
  const journals = await Promise.all(
    files.filter((file) => file.endsWith('.jsonl')).map((file) => readFile(path.join(root, file), 'utf8')),
  );
  expect(journals.join('')).toContain(`"repaired":"Read {'file_path': 'a.txt', 'limit': None,}"`);
});
