import { describe, expect, test } from 'vitest';
import { pcmOf } from '../../test/support/speech/audio.ts';
import { speechServer } from '../../test/support/speech/server.ts';
import { httpClient } from '../lib/network/http-client.ts';
import { wavOf } from './pcm.ts';
import { transcribe, wordsOf } from './transcribe.ts';

const wav = wavOf(pcmOf(Array.from({ length: 16_000 }, (_, i) => 9_000 * Math.sin(i / 9))));
const KEY = 'sk-very-secret-1234';

function ask(url: string, { timeoutMs = 60_000, language = undefined as string | undefined } = {}) {
  const endpoint = { url: `${url}/audio/transcriptions`, model: 'whisper-1', key: KEY, provider: 'groq' };
  const { signal } = new AbortController();
  return transcribe(wav, endpoint, { http: httpClient, signal, timeoutMs, language });
}

test('the recording is sent as a form with its key, and the words come back', async () => {
  const server = await speechServer(' Hello,\n world. ');
  expect(await ask(server.url, { language: 'en' })).toBe('Hello, world.');
  expect(server.requests).toMatchObject([
    { fields: { model: 'whisper-1', language: 'en', response_format: 'json' }, key: `Bearer ${KEY}` },
  ]);
});

describe('each failure says what to do, and never shows the key', () => {
  const error = (message: string) => JSON.stringify({ error: { message } });
  test.each([
    [401, error(`Incorrect key ${KEY}.`), 'rejected the key (Incorrect key …)', 'aca keys set groq'],
    [403, 'no', 'rejected the key.', 'aca keys set groq'],
    [
      404,
      '<html>',
      'has no transcription at /v1/audio/transcriptions, or no model',
      'voice.baseUrl and voice.model',
    ],
    [413, error('Too large'), 'too long', 'Lower voice.maxSeconds'],
    [429, error('slow down'), 'refuses more requests for now (slow down)', 'Try again later'],
    [400, error('bad language'), 'error 400 (bad language)', 'voice.language'],
    [500, '', 'error 500', 'Try again later'],
    [200, '<html>hello</html>', 'did not answer with a transcription', 'voice.baseUrl'],
    [200, '{"text":7}', 'did not answer with a transcription', 'voice.baseUrl'],
    [200, 'null', 'did not answer with a transcription', 'voice.baseUrl'],
    [200, '{"text":"  "}', 'No words were recognized', 'voice.language'],
    [200, '{"text":"[BLANK_AUDIO]"}', 'No words were recognized', 'voice.language'],
  ])('%i %s', async (status, body, message, hint) => {
    const server = await speechServer({ status, body });
    const failure = await ask(server.url).catch((caught: unknown) => caught);
    expect(failure).toMatchObject({
      name: 'UserError',
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    });
    expect(JSON.stringify(failure) + String(failure)).not.toContain(KEY);
  });

  test('a server that is not there', async () => {
    await expect(ask('http://127.0.0.1:9/v1')).rejects.toMatchObject({
      message: 'Could not reach 127.0.0.1:9: ECONNREFUSED.',
    });
  });

  test('one that breaks the connection', async () => {
    const server = await speechServer('reset');
    await expect(ask(server.url)).rejects.toMatchObject({
      message: expect.stringMatching(/^Could not reach/),
    });
  });

  test('one that never answers', async () => {
    const server = await speechServer('hang');
    await expect(ask(server.url, { timeoutMs: 200 })).rejects.toMatchObject({
      message: expect.stringMatching(/did not answer within 0\.2s\.$/),
    });
  });
});

test('words are one line without control characters', () => {
  expect(wordsOf('\u001b[31mDo\tit\r\n now\u0000 ')).toBe('[31mDo it now');
});
