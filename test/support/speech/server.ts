import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { likeness, readWav, samplesIn } from './audio.ts';

type Answer = { status?: number; body: string } | 'hang' | 'reset';

type Transcription = { fields: Record<string, string>; pcm: Buffer; key: string | undefined };

export type SpeechServer = { url: string; requests: Transcription[]; paths: string[] };

/**
 * A server that speaks `/v1/audio/transcriptions`. It answers only to a valid recording at 16 kHz that sounds like
 * `expects`; else it says what is wrong with it.
 */
export async function speechServer(
  answer: string | Answer,
  { expects, models = ['Systran/faster-whisper-small'] }: { expects?: Buffer; models?: string[] } = {},
): Promise<SpeechServer> {
  const requests: Transcription[] = [];
  const paths: string[] = [];
  const transcribe = async (request: IncomingMessage, response: ServerResponse) => {
    const { fields, file } = await formOf(request);
    const { pcm, ...format } = readWav(file);
    if (format.rate !== 16_000 || format.channels !== 1 || format.bits !== 16)
      throw new Error(`wrong format ${JSON.stringify(format)}`);
    if (!samplesIn(pcm).some((sample) => Math.abs(sample) > 1_000))
      throw new Error('the recording is silent');
    if (expects && likeness(expects, pcm) < 0.9)
      throw new Error(`likeness ${likeness(expects, pcm).toFixed(2)}, ${pcm.length / 32_000}s`);
    requests.push({ fields, pcm, key: request.headers.authorization });
    if (answer === 'hang') return;
    if (answer === 'reset') return request.socket.destroy();
    const { status = 200, body } =
      typeof answer === 'string' ? { body: JSON.stringify({ text: answer }) } : answer;
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  };
  const server = createServer((request, response) => {
    paths.push(`${request.method} ${request.url}`);
    if (request.url === '/v1/models')
      return response.end(JSON.stringify({ data: models.map((id) => ({ id })) }));
    if (request.url !== '/v1/audio/transcriptions' || request.method !== 'POST')
      return response.writeHead(404).end('{"error":{"message":"no such path"}}');
    return transcribe(request, response).catch((error: Error) => {
      response.writeHead(400).end(JSON.stringify({ error: { message: error.message } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests, paths };
}

/** By the runtime's own parser of forms. */
async function formOf(request: IncomingMessage): Promise<{ fields: Record<string, string>; file: Buffer }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const type = request.headers['content-type'] ?? '';
  const form = await new Response(Buffer.concat(chunks), { headers: { 'content-type': type } }).formData();
  const file = form.get('file');
  if (!(file instanceof File)) throw new Error('no file');
  const words = [...form].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
  return { fields: Object.fromEntries(words), file: Buffer.from(await file.arrayBuffer()) };
}
