import type { Settled } from './options.ts';
import type { Head, Json, Refusal } from './protocol.ts';
import type { Route } from './routes.ts';
import { anthropicFaults } from './validate-anthropic.ts';
import { googleFaults } from './validate-google.ts';
import { missingKey } from './validate-key.ts';
import { ollamaFaults } from './validate-ollama.ts';
import { chatFaults } from './validate-openai-chat.ts';
import { responsesFaults } from './validate-openai-responses.ts';

type Asked = { head: Head; body: Json; settled: Settled };

/** What the vendor would reject first: the key, the model, then the request itself. */
export function refusalOf(route: Route, { head, body, settled }: Asked): Refusal | undefined {
  if (settled.lenient) return undefined;
  const unknown = settled.keyless ? undefined : missingKey(route.protocol.name, head);
  if (unknown) return unknown;
  if (route.type === 'aside') return invalid(route.faults?.(body));

  const { model } = route.protocol.view(body, head.path);
  if (settled.models && model !== '' && !settled.models.includes(model)) {
    return { status: 404, message: notFound(route, model) };
  }
  return invalid(faultsOf(route, { head, body, settled }));
}

function faultsOf({ protocol }: Route, { head, body, settled }: Asked): Generator<string> {
  switch (protocol.name) {
    case 'anthropic':
      return anthropicFaults(body, head);
    case 'openai-chat':
      return chatFaults(body);
    case 'openai-responses':
      return responsesFaults(body);
    case 'google':
      return googleFaults(body, head);
    case 'ollama':
      return ollamaFaults(body, settled);
    default:
      return protocol.name satisfies never;
  }
}

function invalid(faults: Generator<string> | undefined): Refusal | undefined {
  const [message] = faults ?? [];
  return message === undefined ? undefined : { status: 400, message };
}

function notFound({ protocol }: Route, model: string): string {
  switch (protocol.name) {
    case 'anthropic':
      return `model: ${model}`;
    case 'google':
      return `models/${model} is not found for API version v1beta, or is not supported for generateContent.`;
    case 'ollama':
      return `model '${model}' not found`;
    default:
      return `The model \`${model}\` does not exist or you do not have access to it.`;
  }
}
