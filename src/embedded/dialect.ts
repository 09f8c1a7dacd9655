import type { ProviderEvent } from '../contract/provider.ts';
import type { ToolDefinition } from '../contract/request/tool-definition.ts';
import { type Accepts, toDialogue } from './dialogue.ts';
import type { CallForm } from './grammar.ts';
import type { Dialogue, GenerateOrder } from './protocol.ts';

/** The prompt format of one model. */
export type Dialect = {
  accepts: Accepts;
  /** The delimiters of a call; null if the template has its own format that no grammar here describes. */
  form: CallForm | null;
  specials: GenerateOrder['specials'];
};

/** The parts of the engine and the reply parser needed to detect it. */
export type Probe = {
  /** The model's own; null if it has none. */
  template: string | null;
  render(dialogue: Dialogue): Promise<string>;
  respell(text: string): Promise<{ hidden: string; shown: string }>;
  /** The calls in a text, as they would be parsed. */
  callsIn(text: string, tools: readonly string[]): Promise<{ name: string; json: string }[]>;
};

export const XML_FORM: CallForm = { open: '<tool_call>', close: '</tool_call>', argumentsKey: 'arguments' };
export const XML_TEXT_FORM: CallForm = { ...XML_FORM, argumentsKey: 'parameters' };
export const FENCE_FORM: CallForm = { open: '```tool_call', close: '```', argumentsKey: 'arguments' };

const TOOL: ToolDefinition = {
  name: 'look_around',
  description: 'Look around.',
  parameters: { type: 'object', properties: { where: { type: 'string' } }, required: ['where'] },
};
const INPUT = { where: 'east wing' };
const RESULT = 'a wide door';
const TIME = '2000-01-01T00:00:00.000Z';

/**
 * Tries the model's template on a small conversation. Its native tool calls are used only if a rendered call
 * is parsed here as that same call; otherwise calls are sent as text.
 */
export async function findDialect(probe: Probe): Promise<Dialect> {
  const system = await accepts(probe, 'system');
  const own = await findOwnCalls(probe, system);
  if (own) return own;
  // Channels are delimited by control tokens.
  const specials = probe.template?.includes('<|channel') ? 'shown' : 'hidden';
  return { accepts: { system, tools: false }, form: null, specials };
}

async function accepts(probe: Probe, word: string): Promise<boolean> {
  const dialogue: Dialogue = {
    messages: [
      { role: 'system', content: `the ${word}'s words` },
      { role: 'user', content: 'hello' },
    ],
    tools: [],
  };
  return (await tryRender(probe, dialogue))?.includes(`the ${word}'s words`) ?? false;
}

async function findOwnCalls(probe: Probe, system: boolean): Promise<Dialect | null> {
  const user = {
    role: 'user' as const,
    content: [{ type: 'text' as const, text: 'hello' }],
    timestamp: TIME,
  };
  const call = { type: 'tool_call' as const, id: 'call00001', name: TOOL.name, input: INPUT };
  const speaker = { provider: '', model: '', stopReason: 'tool_calls' as const, timestamp: TIME };
  const asked = { system: 'be brief', messages: [user], tools: [TOOL] };
  const answered = {
    ...asked,
    messages: [
      user,
      { role: 'assistant' as const, content: [call], ...speaker },
      {
        role: 'tool' as const,
        callId: call.id,
        name: TOOL.name,
        success: true,
        content: [{ type: 'text' as const, text: RESULT }],
        timestamp: TIME,
      },
    ],
  };
  const way = { system, tools: true };
  const before = await tryRender(probe, toDialogue(asked, way));
  const after = await tryRender(probe, toDialogue(answered, way));
  if (!before?.includes(TOOL.name) || !after?.includes(RESULT)) return null;
  const written = behind(before, after);
  const { hidden, shown } = await probe.respell(written);
  for (const [specials, text] of [
    ['hidden', hidden],
    ['shown', shown],
  ] as const) {
    const [found, ...others] = await probe.callsIn(upToResult(text), [TOOL.name]);
    if (others.length > 0 || found?.name !== TOOL.name || !isInput(found.json)) continue;
    const promptNext = { ...answered, messages: [...answered.messages, user] };
    const isRejected = (await tryRender(probe, toDialogue(promptNext, way))) === null;
    const accepts = { ...way, ...(isRejected && { assistantAfterTool: true as const }) };
    return { accepts, specials, form: text.includes(XML_FORM.open) ? XML_FORM : null };
  }
  return null;
}

/** What the template writes after the generation prompt for a call. */
function behind(before: string, after: string): string {
  let shared = 0;
  while (shared < before.length && before[shared] === after[shared]) shared++;
  return after.slice(shared);
}

/** Results are in tags similar to those of calls. */
function upToResult(text: string): string {
  const result = text.indexOf(RESULT);
  return text.slice(0, result < 0 ? text.length : result).replace(/<\|?tool_response\|?>[\s\S]*$/, '');
}

function isInput(json: string): boolean {
  try {
    return (JSON.parse(json) as typeof INPUT).where === INPUT.where;
  } catch {
    // Parsed differently than written: not supported.
    return false;
  }
}

async function tryRender(probe: Probe, dialogue: Dialogue): Promise<string | null> {
  // Templates reject a conversation by throwing.
  return probe.render(dialogue).catch(() => null);
}

/** The calls among events, for `Probe.callsIn`. */
export async function callsAmong(
  events: AsyncIterable<ProviderEvent>,
): Promise<{ name: string; json: string }[]> {
  const calls = new Map<string, { name: string; json: string }>();
  for await (const event of events) {
    if (event.type === 'tool_call_start') calls.set(event.key, { name: event.name, json: '' });
    const open = event.type === 'tool_call_delta' ? calls.get(event.key) : undefined;
    if (open && event.type === 'tool_call_delta') open.json += event.json;
  }
  return [...calls.values()];
}

/**
 * Replaces the text of the first user message: the point where two such renderings diverge is where the
 * shared prefix ends.
 */
export function firstWords(dialogue: Dialogue, words: string): Dialogue {
  const at = dialogue.messages.findIndex(({ role }) => role === 'user');
  const first = dialogue.messages[at];
  if (!first) return dialogue;
  return { ...dialogue, messages: [...dialogue.messages.slice(0, at), { ...first, content: words }] };
}
