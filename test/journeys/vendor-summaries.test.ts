import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { aca } from '../support/aca.ts';
import { record, records } from '../support/model-server/protocol.ts';
import { fails, type Step, says } from '../support/model-server/script.ts';
import { soak } from '../support/soak.ts';
import { openScenario, type Play } from '../support/vendor-scenario.ts';

const LONG = 'It goes on and on. '.repeat(210);
const isWritten = (text = '') => text.startsWith('Below is the older part of a conversation');
const talkative: Step = ({ messages, body }) => {
  if (record(body.compaction).type === 'summarize') return says('The vendor’s own words.');
  return says(isWritten(messages.at(-1)?.text) ? '[Completed: in words]' : `Answer. ${LONG}`);
};
const questions = (count: number) => Array.from({ length: count }, (_, i) => `question ${i + 1}`);
const scenario = {
  name: 'a long conversation',
  script: [talkative],
  loop: true as const,
  play: async () => undefined,
};

/** The first block or item of a request. */
const firstOf = (it: Play, at: number) => {
  const body = record(it.server.requests.at(at)?.body);
  const [first] = records(body.messages ?? body.input);
  return records(first?.content)[0] ?? first;
};

/** What the journal says of the last compaction. */
async function compactionOf({ space }: Play): Promise<Record<string, unknown>> {
  const folder = path.join(space.home, '.ai-assistant/sessions');
  const [journal = ''] = (await readdir(folder)).filter((name) => name.endsWith('.jsonl'));
  const lines = (await readFile(path.join(folder, journal), 'utf8')).trim().split('\n');
  const found = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return found.findLast(({ type }) => type === 'compaction') ?? {};
}

describe('Anthropic summarizes a long conversation itself', () => {
  test('its block starts every later request, unchanged, also in another process; people read its words', async () => {
    const it = await openScenario(scenario);
    await it.talk([...questions(9), '/compact', 'and now?', 'and then?']);
    await it.run('and later?', '--continue');
    const at = it.server.requests.findIndex(({ body }) => body.compaction !== undefined);
    expect(at).toBe(9);
    const [asked, before] = [it.server.requests[at], it.server.requests[at - 1]];
    // The same prefix as before it, so that it is read from the cache.
    expect([asked?.body.system, asked?.body.tools]).toEqual([before?.body.system, before?.body.tools]);
    const block = firstOf(it, at + 1);
    expect(block).toMatchObject({ type: 'compaction', content: 'The vendor’s own words.' });
    expect([firstOf(it, -2), firstOf(it, -1)]).toEqual([block, block]);
    const later = it.server.requests.slice(at + 1);
    for (const { messages, system } of later) {
      expect(messages.map(({ text }) => text)).not.toContain('question 1');
      expect(system).not.toContain('The vendor’s own words.');
    }
    expect(it.server.requests.filter(({ messages }) => isWritten(messages.at(-1)?.text))).toEqual([]);
    expect(await compactionOf(it)).toMatchObject({
      summary: 'The vendor’s own words.',
      by: 'anthropic/claude-sonnet-5-5',
    });
  });

  test('a model that cannot read the block gets its words', soak, async () => {
    const it = await openScenario(scenario);
    await it.talk([...questions(9), '/compact', 'and now?']);
    const { url } = it.server;
    const env = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${url}/v1` };
    const args = ['-p', 'and then?', '--continue', '--model', 'openai/gpt-6.1-sol'];
    expect(await aca(it.space, args, { env })).toMatchObject({ code: 0 });
    const last = it.server.requests.at(-1);
    expect(last?.protocol).toBe('openai-responses');
    expect(JSON.stringify(last?.body)).toContain('The vendor’s own words.');
    expect(JSON.stringify(last?.body)).not.toContain('"compaction"');
  });

  test.each([
    ['if it refuses', {}, fails(400, { message: 'compaction: Extra inputs are not permitted' })],
    ['if the user wants it so', { vendorSummaries: false }, says('never asked')],
  ])('a model writes the summary %s', async (_when, config, refusal) => {
    const script: Step[] = [
      (request) =>
        record(request.body.compaction).type === 'summarize'
          ? refusal
          : (talkative as Extract<Step, (...args: never[]) => unknown>)(request),
    ];
    const it = await openScenario({ ...scenario, script });
    await it.configure(config);
    await it.talk([...questions(9), '/compact', 'and now?', 'and then?']);
    expect(it.server.requests.at(-1)?.system).toContain('[Completed: in words]');
    expect(await compactionOf(it)).toMatchObject({ summary: expect.stringContaining('in words') });
    expect(await compactionOf(it)).not.toHaveProperty('vendorSummary');
  });
});

test('OpenAI returns an item that only it can read: people get a summary in words beside it', async () => {
  const it = await openScenario(scenario);
  const { url } = it.server;
  const env = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `${url}/v1` };
  const stdin = [...questions(9), '/compact', 'and now?', 'and then?']
    .map((text) => `${JSON.stringify({ type: 'user', text })}\n`)
    .join('');
  const args = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json'];
  const outcome = await aca(it.space, [...args, '--model', 'openai/gpt-6.1-sol'], { env, stdin });
  expect(outcome).toMatchObject({ code: 0 });
  const { asides, refusals, degradations } = it.server;
  expect(asides.filter((aside) => aside.path.endsWith('/responses/compact'))).toHaveLength(1);
  const item = firstOf(it, -1);
  expect(item).toMatchObject({ type: 'compaction', encrypted_content: expect.any(String) });
  expect(firstOf(it, -2)).toEqual(item);
  expect(JSON.stringify(it.server.requests.at(-1)?.body)).not.toContain('[Completed: in words]');
  expect(await compactionOf(it)).toMatchObject({ summary: expect.stringContaining('in words') });
  expect([refusals, degradations]).toEqual([[], []]);
});
