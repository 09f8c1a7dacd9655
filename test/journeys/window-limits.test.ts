// @module-tag soak
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema/schema.ts';
import { aca, doors, parseStream } from '../support/aca.ts';
import type { SeenRequest } from '../support/model-server/protocol.ts';
import {
  but,
  calls,
  fails,
  failsMidway,
  type Reply,
  type Step,
  says,
} from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { soak } from '../support/soak.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const MODEL = 'anthropic/claude-sonnet-4-20250514';
const WINDOW = 24_000;
const small: ConfigInput = { models: { [MODEL]: { contextWindow: WINDOW, maxOutputTokens: 2000 } } };

async function configure(space: Workspace, config: ConfigInput): Promise<void> {
  const root = path.join(space.home, '.ai-assistant');
  await mkdir(root, { recursive: true });
  await writeFile(path.join(root, 'config.json'), JSON.stringify(config));
}

const tokensOf = ({ body }: SeenRequest) => Math.ceil(JSON.stringify(body).length / 4);

/** As vendors do: what does not fit, with room for the answer, is refused. */
const strict =
  (answer: (request: SeenRequest) => Reply): Step =>
  (request) => {
    const asked = tokensOf(request) + Number(request.body.max_tokens ?? 0);
    return asked > WINDOW
      ? fails(400, { message: `prompt is too long: ${asked} tokens > ${WINDOW} maximum` })
      : answer(request);
  };

describe('a history larger than the window', () => {
  test('a giant prompt is answered, that it was sent in part is said, and the session goes on', async () => {
    const space = await workspace();
    await configure(space, small);
    const server = await serve([strict(() => says('Fine.'))], { loop: true });
    const { env } = doors.anthropic(server.url);
    const giant = `BEGIN\n${'a line of a long log\n'.repeat(40_000)}END`;

    const first = await aca(space, ['-p', 'explain', '--model', MODEL], { env, stdin: giant });
    expect(first).toMatchObject({ code: 0, stdout: 'Fine.\n' });
    expect(first.stderr).toContain("The conversation exceeds the model's context window.");
    const file = /your full prompt in (\S+\.txt)\./.exec(first.stderr)?.[1] ?? '';
    expect(await readFile(file, 'utf8')).toBe(`explain\n\n${giant}`);
    const sent = server.requests.at(-1)?.messages.at(-1)?.text ?? '';
    for (const words of ['explain', 'BEGIN', 'END', file]) expect(sent).toContain(words);

    for (const text of ['and now?', 'and then?']) {
      const next = await aca(space, ['-p', text, '--continue', '--model', MODEL], { env });
      expect(next).toMatchObject({ code: 0, stdout: 'Fine.\n' });
      expect(server.requests.at(-1)?.messages.at(-1)?.text).toBe(text);
    }
    // Nothing was sent that had to be refused.
    expect(server.requests.filter((request) => tokensOf(request) > WINDOW)).toEqual([]);
  });
});

describe('the words of vendors', () => {
  const read = (name: string) => calls(['Read', { file_path: name }]);
  const files = Object.fromEntries(
    Array.from({ length: 6 }, (_, i) => [`${i}.txt`, `${i} lorem ipsum dolor\n`.repeat(400)]),
  );
  const reads = Object.keys(files).map(read);

  test.each<[string, keyof typeof doors, Reply]>([
    [
      'Anthropic, with the answer counted in',
      'anthropic',
      fails(400, {
        message:
          'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again',
      }),
    ],
    ['a proxy that says 413', 'openai-chat', fails(413, { message: 'Payload Too Large' })],
    [
      'a router that says 503',
      'openai-chat',
      fails(503, {
        message: "Requested token count exceeds the model's maximum context length of 131072 tokens.",
      }),
    ],
    [
      'within a stream',
      'openai-chat',
      failsMidway(says('x'), {
        after: 0,
        message: 'the request exceeds the available context size, try increasing it',
      }),
    ],
    [
      'within a stream of Responses',
      'openai-responses',
      failsMidway(says('x'), { after: 0, message: 'Your input exceeds the context window of this model.' }),
    ],
    [
      'Ollama',
      'ollama',
      fails(500, { message: 'prompt too long; exceeded max context length by 918 tokens' }),
    ],
    [
      'Gemini',
      'google',
      fails(400, {
        message: 'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).',
      }),
    ],
  ])('%s: compacted, and asked again', async (_who, protocol, refusal) => {
    const space = await workspace(files);
    const server = await serve([...reads, refusal, says('fine')]);
    const { model, env } = doors[protocol](server.url);
    const args = ['-p', 'go', '--model', model, '--output-format', 'stream-json'];
    const { code, stdout } = await aca(space, args, { env });
    const { events, report } = parseStream(stdout);
    expect({ code, result: report.result }).toEqual({ code: 0, result: 'fine' });
    expect(events.filter(({ type }) => type === 'compacted')).toHaveLength(1);
    expect(server.requests).toHaveLength(8);
    const [refused, taken] = server.requests.slice(-2).map(tokensOf);
    expect(taken).toBeLessThan(refused ?? 0);
  });
});

describe('the output limit', () => {
  const asked = (requests: readonly SeenRequest[]) => requests.map(({ body }) => body.max_tokens);

  test('is raised after an answer that was cut off, to what the model can write', async () => {
    const space = await workspace();
    const cut = but(calls(['Write', {}, { rawArguments: '{"file_path":"a.txt","content":"ha' }]), {
      stop: 'max_tokens',
    });
    const server = await serve([cut, says('ok')]);
    const { env } = doors.anthropic(server.url);
    await aca(space, ['-p', 'go', '--mode', 'accept-edits', '--model', MODEL], { env });
    expect(asked(server.requests)).toEqual([32_000, 64_000]);
  });

  test('that the user has set is kept', async () => {
    const space = await workspace();
    await configure(space, { maxTokens: 5000 });
    const server = await serve([says('a', { stop: 'max_tokens' }), says('b')]);
    const { env } = doors.anthropic(server.url);
    await aca(space, ['-p', 'go', '--model', MODEL], { env });
    expect(asked(server.requests)).toEqual([5000, 5000]);
  });

  test('three cut calls in a row end the run, and say why', async () => {
    const space = await workspace();
    const cut = but(calls(['Write', { file_path: 'a.txt', content: 'ha' }]), { stop: 'max_tokens' });
    const server = await serve([cut, cut, cut, says('never')]);
    const { env } = doors.anthropic(server.url);
    const { code, stderr } = await aca(space, ['-p', 'go', '--mode', 'accept-edits', '--model', MODEL], {
      env,
    });
    expect({ code, asked: server.requests.length }).toEqual({ code: 1, asked: 3 });
    expect(stderr).toContain('The model hit its output limit in the middle of a tool call 3 times in a row.');
  });
});

test(
  'a summary that was cut off is asked for again with more room, and then drawn from the conversation',
  soak,
  async () => {
    const space = await workspace();
    await configure(space, small);
    const isSummary = ({ messages }: SeenRequest) =>
      messages.at(-1)?.text.startsWith('Below is the older part of a conversation') ?? false;
    const server = await serve(
      [
        (request) =>
          isSummary(request)
            ? says('[Completed: half of a', { stop: 'max_tokens' })
            : says('It goes on and on. '.repeat(230)),
      ],
      { loop: true },
    );
    const { env } = doors.anthropic(server.url);
    const prompts = Array.from(
      { length: 24 },
      (_, i) => `${JSON.stringify({ type: 'user', text: `question ${i}` })}\n`,
    );
    const args = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--model', MODEL];
    const { code, stdout } = await aca(space, args, { env, stdin: prompts.join('') });
    expect(code).toBe(0);
    expect(stdout).toContain('"type":"compacted"');
    expect(stdout).toContain('"by":"extract"');
    const summaries = server.requests.filter(isSummary).map(({ body }) => Number(body.max_tokens));
    expect(summaries.length).toBeGreaterThanOrEqual(2);
    expect(summaries[1]).toBeGreaterThan(summaries[0] ?? 0);
    const last = server.requests.filter(({ system }) => system !== '').at(-1);
    expect(last?.system).toContain('[Asked: question 0;');
    expect(last?.system).not.toContain('half of a');
  },
);
