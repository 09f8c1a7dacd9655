/** Vendors that transcribe, by the name of their provider, in order of preference; and the model to use there. */
export const speechVendors: readonly { provider: string; model: string }[] = [
  { provider: 'openai', model: 'gpt-4o-mini-transcribe' },
  { provider: 'groq', model: 'whisper-large-v3-turbo' },
  { provider: 'mistral', model: 'voxtral-mini-latest' },
  { provider: 'together', model: 'openai/whisper-large-v3' },
];

/** Where servers that transcribe listen unless told otherwise: Speaches and faster-whisper-server, LocalAI. */
export const speechServers: readonly string[] = ['http://127.0.0.1:8000/v1', 'http://127.0.0.1:8080/v1'];

/** whisper.cpp has no list of models: its page says what it is, and audio goes to a path of its own. */
export const whisperCpp = { page: 'http://127.0.0.1:8080/', path: 'inference', mark: /whisper\.cpp/i };

/** For a server whose models are not known. */
export const USUAL_MODEL = 'whisper-1';

const SPEECH_MODEL = /whisper|transcri|parakeet|canary|voxtral|moonshine|sensevoice|(^|[^a-z])asr([^a-z]|$)/i;

/** Whether a model with this name transcribes speech. */
export function isSpeechModel(name: string): boolean {
  return SPEECH_MODEL.test(name);
}
