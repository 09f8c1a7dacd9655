import type { Message } from '../../contract/message.ts';

/** OpenTelemetry's vendor names, if they differ from ours. */
const PROVIDER_NAMES: Readonly<Record<string, string>> = {
  google: 'gcp.gemini',
  'openai-chat': 'openai',
  mistral: 'mistral_ai',
  xai: 'x_ai',
};

export function providerName(provider: string): string {
  return PROVIDER_NAMES[provider] ?? provider;
}

type GenAiPart =
  | { type: 'text'; content: string }
  | { type: 'reasoning'; content: string }
  | { type: 'tool_call'; id: string; name: string; arguments: unknown }
  | { type: 'tool_call_response'; id: string; response: string }
  | { type: 'blob'; modality: 'image'; mime_type: string };

type GenAiMessage = { role: string; parts: GenAiPart[]; finish_reason?: string };

/** A message in the format of the content conventions. Images are named, not sent. */
export function genAiMessage(message: Message): GenAiMessage {
  const parts = message.content.map((part): GenAiPart => {
    switch (part.type) {
      case 'text':
        return message.role === 'tool'
          ? { type: 'tool_call_response', id: message.callId, response: part.text }
          : { type: 'text', content: part.text };
      case 'thinking':
        return { type: 'reasoning', content: part.text };
      case 'tool_call':
        return { type: 'tool_call', id: part.id, name: part.name, arguments: part.input };
      case 'image':
        return { type: 'blob', modality: 'image', mime_type: part.mediaType };
      default:
        return part satisfies never;
    }
  });
  return {
    role: message.role,
    parts,
    ...(message.role === 'assistant' && { finish_reason: message.stopReason }),
  };
}
