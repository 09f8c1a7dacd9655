import type { ProviderEvent, ToolDefinition } from '../contract/provider.ts';
import { type Accepts, toDialogue } from './dialogue.ts';
import type { CallForm } from './grammar.ts';
import type { Dialogue, GenerateOrder } from './protocol.ts';

/** How one model is talked to. */
export type Dialect = {
  accepts: Accepts;
  /** What stands around a call; null where the template has a form of its own that no grammar here describes. */
  form: CallForm | null;
  specials: GenerateOrder['specials'];
};

/** The parts of the engine and of the reply's reading that it takes to find out. */
export type Probe = {
  /** The model's own; null where it brings none. */
  template: string | null;
  render(dialogue: Dialogue): Promise<string>;
  respell(text: string): Promise<{ hidden: string; shown: string }>;
  /** The calls in a text, as they would be understood. */
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
 * Tries the model's template on a small conversation. Its own tool calls are used only if what it writes for a call is
 * understood here as that very call; otherwise calls travel in text.
 */
export async function findDialect(probe: Probe): Promise<Dialect> {
  const system = await accepts(probe, 'system');
  const own = await findOwnCalls(probe, system);
  if (own) return { accepts: { system, tools: true }, ...own };
  // Channels are told apart by control tokens.
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

async function findOwnCalls(probe: Probe, system: boolean): Promise<Omit<Dialect, 'accepts'> | null> {
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
    return { specials, form: text.includes(XML_FORM.open) ? XML_FORM : null };
  }
  return null;
}

/** What the template writes after the generation prompt once the call is made. */
function behind(before: string, after: string): string {
  let shared = 0;
  while (shared < before.length && before[shared] === after[shared]) shared++;
  return after.slice(shared);
}

/** Results stand in tags much like those of calls. */
function upToResult(text: string): string {
  const result = text.indexOf(RESULT);
  return text.slice(0, result < 0 ? text.length : result).replace(/<\|?tool_response\|?>[\s\S]*$/, '');
}

function isInput(json: string): boolean {
  try {
    return (JSON.parse(json) as typeof INPUT).where === INPUT.where;
  } catch {
    // Not what was written: then it is not understood.
    return false;
  }
}

async function tryRender(probe: Probe, dialogue: Dialogue): Promise<string | null> {
  // A template says no by throwing.
  return probe.render(dialogue).catch(() => null);
}

/** Calls among events, for `Probe.callsIn`. */
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

/** The text of the first user message replaced: where two such renderings part is where a shared beginning ends. */
export function firstWords(dialogue: Dialogue, words: string): Dialogue {
  const at = dialogue.messages.findIndex(({ role }) => role === 'user');
  const first = dialogue.messages[at];
  if (!first) return dialogue;
  return { ...dialogue, messages: [...dialogue.messages.slice(0, at), { ...first, content: words }] };
}
