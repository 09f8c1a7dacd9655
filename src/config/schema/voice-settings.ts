import * as z from 'zod';
import { recorderNames } from '../../contract/voice.ts';

const words = () => z.string().min(1).exactOptional();

export const voiceSettings = () =>
  z.strictObject({
    recorder: z
      .enum(recorderNames)
      .exactOptional()
      .describe('Program that records (default: the first one that is installed)'),
    device: words().describe(
      'Microphone, by the name that the recorder gives it (default: that of the system)',
    ),
    recordCommand: words().describe(
      'Command that records instead, outside the sandbox: it writes 16-bit samples at 16 kHz, one channel, raw or as WAV, to standard output until it is ended',
    ),
    provider: words().describe(
      'Provider that transcribes, with its address and key, such as `openai` or `groq`',
    ),
    baseUrl: z
      .url({ protocol: /^https?$/ })
      .exactOptional()
      .describe(
        'Address of an OpenAI-compatible server that transcribes, such as `http://127.0.0.1:8000/v1` (default: that of `provider`; or else a server on this machine; or else a provider with a key)',
      ),
    model: words().describe('Model that transcribes (default: one that the server has)'),
    language: words().describe('Language you speak, such as `en` (default: detected)'),
    command: words().describe(
      'Command that transcribes instead of a server, outside the sandbox: it reads a WAV file from standard input and prints the text',
    ),
    silenceSeconds: z
      .number()
      .min(0)
      .max(60)
      .default(2)
      .describe('Pause that ends a recording; 0 for none. While you hold the key, no pause ends it'),
    maxSeconds: z.number().min(1).max(600).default(120).describe('Longest recording'),
  });
