import { randomUUID } from 'node:crypto';
import { UserError } from '../contract/errors.ts';
import { limited } from '../lib/async/abort.ts';
import { certificateProblem } from '../lib/network/certificate-problem.ts';
import type { HttpClient, HttpResponse } from '../lib/network/http-client.ts';
import { isObject, parseJson } from '../lib/text/json.ts';
import { visibleLine } from '../lib/text/visible-text.ts';

/** Where audio is sent: `url` is that of the request itself. */
export type SpeechEndpoint = {
  url: string;
  model: string;
  key?: string | undefined;
  headers?: Readonly<Record<string, string>>;
  /** The provider whose key it is; for messages. */
  provider?: string | undefined;
};

export type TranscribeOptions = {
  http: HttpClient;
  language?: string | undefined;
  signal: AbortSignal;
  timeoutMs?: number;
};

const TIMEOUT_MS = 60_000;
const MAX_REPLY = 1024 * 1024;
const SHOWN_ERROR = 200;

/** The words in a recording. Throws a `UserError` that says what to do. */
export async function transcribe(
  wav: Buffer,
  endpoint: SpeechEndpoint,
  { http, language, signal, timeoutMs = TIMEOUT_MS }: TranscribeOptions,
): Promise<string> {
  const { url, model, key, headers } = endpoint;
  const form = multipart(wav, { model, response_format: 'json', ...(language && { language }) });
  const time = limited(timeoutMs, signal);
  try {
    const response = await http({
      url,
      method: 'POST',
      headers: { ...headers, ...(key && { authorization: `Bearer ${key}` }), 'content-type': form.type },
      body: form.body,
      signal: time,
    });
    const reply = await textOf(response);
    if (response.status !== 200) throw refused(response.status, reply, endpoint);
    return spokenIn(reply, endpoint);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UserError) throw error;
    throw unreachable(error, { ...endpoint, timeoutMs: time.aborted ? timeoutMs : null });
  }
}

/** Text for the prompt: one line of words. Throws if there are none. */
export function wordsOf(text: string): string {
  const words = text
    .replaceAll(/\p{Cc}|\s/gu, ' ')
    .replaceAll(/ +/g, ' ')
    .trim();
  // What Whisper writes for noise: [BLANK_AUDIO], (music).
  if (words !== '' && !/^(\[[^\]]*\]|\([^)]*\)| )+$/.test(words)) return words;
  throw new UserError('No words were recognized.', 'Speak closer to the microphone, or set voice.language.');
}

function multipart(wav: Buffer, fields: Readonly<Record<string, string>>): { type: string; body: Buffer } {
  const boundary = `aca-${randomUUID()}`;
  const parts = Object.entries(fields).map(
    ([name, value]) =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value.replaceAll(/[\r\n]/g, ' ')}\r\n`,
  );
  const file = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="speech.wav"\r\ncontent-type: audio/wav\r\n\r\n`;
  const body = Buffer.concat([
    Buffer.from(parts.join('')),
    Buffer.from(file),
    wav,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return { type: `multipart/form-data; boundary=${boundary}`, body };
}

/** Of a reply that never ends, only the beginning. */
async function textOf({ body }: HttpResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_REPLY) break;
  }
  return Buffer.concat(chunks).toString();
}

function spokenIn(reply: string, { url }: SpeechEndpoint): string {
  const parsed = parseJson(reply);
  if (!isObject(parsed) || typeof parsed.text !== 'string')
    throw new UserError(
      `${hostOf(url)} did not answer with a transcription.`,
      'Check voice.baseUrl: it must be the address of an OpenAI-compatible server.',
    );
  return wordsOf(parsed.text);
}

export function hostOf(url: string): string {
  return new URL(url).host;
}

/** What to do about an error status. */
function refused(status: number, reply: string, endpoint: SpeechEndpoint): UserError {
  const { url, model, provider } = endpoint;
  const host = hostOf(url);
  const words = reasonIn(reply, endpoint);
  const because = words === '' ? '' : ` (${words})`;
  const key = provider
    ? `Store a valid key with \`aca keys set ${provider}\`.`
    : 'Set voice.provider to the provider whose key to use.';
  switch (status) {
    case 401:
    case 403:
      return new UserError(`${host} rejected the key${because}.`, key);
    case 404:
      return new UserError(
        `${host} has no transcription at ${new URL(url).pathname}, or no model ${model}${because}.`,
        'Check voice.baseUrl and voice.model.',
      );
    case 413:
      return new UserError(`The recording is too long for ${host}${because}.`, 'Lower voice.maxSeconds.');
    case 429:
      return new UserError(`${host} refuses more requests for now${because}.`, 'Try again later.');
    default:
      return new UserError(
        `${host} could not transcribe: error ${status}${because}.`,
        status >= 500 ? 'Try again later.' : 'Check voice.model and voice.language.',
      );
  }
}

/** The server's own words, without the key. */
function reasonIn(reply: string, { key }: SpeechEndpoint): string {
  const parsed = parseJson(reply);
  const { error, message, detail } = isObject(parsed) ? parsed : {};
  const words = [isObject(error) ? error.message : error, message, detail].find(
    (one) => typeof one === 'string',
  );
  if (typeof words !== 'string') return '';
  const safe = key ? words.replaceAll(key, '…') : words;
  return visibleLine(safe.slice(0, SHOWN_ERROR)).replace(/[.\s]+$/, '');
}

function unreachable(
  error: unknown,
  { url, timeoutMs }: { url: string; timeoutMs: number | null },
): UserError {
  const host = hostOf(url);
  if (timeoutMs !== null)
    return new UserError(
      `${host} did not answer within ${timeoutMs / 1000}s.`,
      'Try again, or choose another server with voice.baseUrl.',
    );
  const { code, message } = error as NodeJS.ErrnoException;
  const certificate = certificateProblem(error, host);
  if (certificate !== null) return new UserError(certificate, 'Then try again.');
  return new UserError(
    `Could not reach ${host}: ${code ?? visibleLine(message)}.`,
    'Start the server or check the network, or choose another with voice.baseUrl.',
  );
}
