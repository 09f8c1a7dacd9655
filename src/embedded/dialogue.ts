import { type AssistantMessage, type Message, textOf, toolCallsOf } from '../contract/message.ts';
import type { ToolDefinition } from '../contract/request/tool-definition.ts';
import type { Dialogue, TemplateMessage, TemplateTool } from './protocol.ts';

/** What a template accepts; detected by trying. */
export type Accepts = {
  /** A separate system message; otherwise its text precedes the first user message. */
  system: boolean;
  /** Tools, calls and results in the template's native format. */
  tools: boolean;
  /** Rejects a user message right after a tool result. */
  assistantAfterTool?: true;
};

/** A conversation in the format of chat templates. */
export function toDialogue(
  {
    system,
    messages,
    tools,
  }: { system: string; messages: readonly Message[]; tools: readonly ToolDefinition[] },
  accepts: Accepts,
): Dialogue {
  const all = messages.flatMap((message) => toTemplate(message));
  const spoken = accepts.assistantAfterTool ? all.flatMap(withReply) : all;
  return {
    messages: system === '' ? spoken : withSystem(system, spoken, accepts),
    tools: accepts.tools ? tools.map(toolFor) : [],
  };
}

const RECEIVED: TemplateMessage = { role: 'assistant', content: 'I have the results.' };

/** Puts a reply between results and the prompt after them. */
function withReply(message: TemplateMessage, at: number, all: readonly TemplateMessage[]): TemplateMessage[] {
  const isAfterTool = message.role === 'user' && all[at - 1]?.role === 'tool';
  return isAfterTool ? [RECEIVED, message] : [message];
}

function withSystem(system: string, spoken: TemplateMessage[], accepts: Accepts): TemplateMessage[] {
  if (accepts.system) return [{ role: 'system', content: system }, ...spoken];
  const [first, ...rest] = spoken;
  if (first?.role !== 'user') return [{ role: 'user', content: system }, ...spoken];
  return [{ role: 'user', content: `${system}\n\n${first.content}` }, ...rest];
}

function toTemplate(message: Message): TemplateMessage[] {
  if (message.role === 'assistant') return assistant(message);
  const hasImage = message.content.some((part) => part.type === 'image');
  const content = [
    textOf(message),
    ...(hasImage ? ['[Image omitted: this model does not support images.]'] : []),
  ]
    .filter((text) => text !== '')
    .join('\n');
  if (message.role === 'user') return [{ role: 'user', content }];
  const text = content || '(no output)';
  return [
    {
      role: 'tool',
      name: message.name,
      tool_call_id: message.callId,
      content: message.success ? text : `The call failed. ${text}`,
    },
  ];
}

function assistant(message: AssistantMessage): TemplateMessage[] {
  const calls = toolCallsOf(message);
  const content = textOf(message);
  if (content === '' && calls.length === 0) return [];
  const tool_calls = calls.map(({ id, name, input }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: input ?? {} },
  }));
  return [{ role: 'assistant', content, ...(calls.length > 0 && { tool_calls }) }];
}

function toolFor({ name, description, parameters }: ToolDefinition): TemplateTool {
  return { type: 'function', function: { name, description, parameters } };
}
