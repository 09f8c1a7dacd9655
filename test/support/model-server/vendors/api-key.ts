import type { Head, ProtocolName, Refusal } from '../protocol.ts';

/** The vendor's error for a client without a key; Ollama requires none. */
export function missingKey(protocol: ProtocolName, { headers, query }: Head): Refusal | undefined {
  const bearer = /^Bearer \S/.test(headers.authorization ?? '');
  switch (protocol) {
    case 'anthropic':
      if (headers['x-api-key'] || bearer) return undefined;
      return { status: 401, message: 'x-api-key header is required' };
    case 'openai-chat':
    case 'openai-responses':
      if (bearer) return undefined;
      return {
        status: 401,
        message:
          "You didn't provide an API key. You need to provide it in an Authorization header using Bearer auth.",
      };
    case 'google':
      if (headers['x-goog-api-key'] || query.get('key') || bearer) return undefined;
      return { status: 403, message: "Method doesn't allow unregistered callers. Please use API Key." };
    case 'ollama':
      return undefined;
    default:
      return protocol satisfies never;
  }
}
