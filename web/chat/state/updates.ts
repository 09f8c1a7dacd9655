import type {
  ContentBlock,
  ContentChunk,
  SessionUpdate,
  ToolCall,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import { newCall, updateCall, withUpdate } from './calls.ts';
import { add, type Draft } from './draft.ts';
import type { Item } from './view.ts';

type When = { at: number; by?: string | undefined };

/** Applies an update of the protocol. Kinds that a newer agent may send are ignored. */
export function applyUpdate(draft: Draft, update: SessionUpdate, when: When): void {
  switch (update.sessionUpdate) {
    case 'user_message_chunk':
      userChunk(draft, update, when);
      return;
    case 'agent_message_chunk':
      chunk(draft, 'message', update, when);
      return;
    case 'agent_thought_chunk':
      chunk(draft, 'thought', update, when);
      return;
    case 'tool_call':
    case 'tool_call_update':
      toolCall(draft, update, when);
      return;
    case 'plan':
      draft.plan = update.entries;
      return;
    case 'available_commands_update':
      draft.commands = update.availableCommands;
      return;
    case 'current_mode_update':
      if (draft.modes) draft.modes = { ...draft.modes, currentModeId: update.currentModeId };
      return;
    case 'config_option_update':
      draft.options = update.configOptions;
      return;
    case 'session_info_update':
      if (draft.session && update.title !== undefined) {
        draft.session = { ...draft.session, title: update.title };
      }
      return;
    case 'usage_update':
      draft.usage = { used: update.used, size: update.size, cost: update.cost ?? draft.usage?.cost ?? null };
      return;
    case 'notice': {
      const severity =
        update.severity === 'warning' || update.severity === 'error' ? update.severity : 'info';
      add(draft, { type: 'notice', severity, text: update.title, detail: update.description ?? undefined });
      return;
    }
  }
}

function userChunk(draft: Draft, { content, messageId }: ContentChunk, { by }: When): void {
  const id = messageId ?? undefined;
  const last = draft.items.at(-1);
  const text = content.type === 'text' ? content.text : '';
  const attachments = content.type === 'text' ? [] : [content];
  if (last?.type === 'user' && last.messageId === id && last.by === by) {
    replaceLast(draft, {
      ...last,
      text: last.text + text,
      attachments: [...last.attachments, ...attachments],
    });
    return;
  }
  add(draft, { type: 'user', messageId: id, text, attachments, by });
}

/** A part continues the last item if it is of the same message and kind. */
function chunk(
  draft: Draft,
  type: 'message' | 'thought',
  { content, messageId }: ContentChunk,
  { at }: When,
): void {
  const id = messageId ?? undefined;
  const last = draft.items.at(-1);
  const text = textOf(content);
  const images = content.type === 'image' ? [content] : [];
  if (last?.type === type && last.messageId === id) {
    replaceLast(draft, {
      ...last,
      text: last.text + text,
      images: images.length > 0 ? [...last.images, ...images] : last.images,
      endedAt: at,
    });
    return;
  }
  add(draft, { type, messageId: id, text, images, startedAt: at, endedAt: at });
}

function toolCall(draft: Draft, update: ToolCall | ToolCallUpdate, { at }: When): void {
  if (updateCall(draft.items, update.toolCallId, (call) => withUpdate(call, update, at))) return;
  draft.lastKey++;
  const call = newCall({ ...update, title: update.title ?? '' } as ToolCall, draft.lastKey, at);
  const parent = parentOf(update);
  const isNested =
    parent !== null &&
    updateCall(draft.items, parent, (outer) => ({ ...outer, children: [...outer.children, call] }));
  if (!isNested) draft.items.push(call);
}

/** The call whose subagent made this one. */
function parentOf({ _meta }: ToolCall | ToolCallUpdate): string | null {
  const aca = _meta?.aca;
  const parent = typeof aca === 'object' && aca !== null && 'parent' in aca ? aca.parent : null;
  return typeof parent === 'string' ? parent : null;
}

function textOf(content: ContentBlock): string {
  switch (content.type) {
    case 'text':
      return content.text;
    case 'resource_link':
      return `[${content.title ?? content.name}](${content.uri})`;
    case 'resource':
      return 'text' in content.resource ? content.resource.text : '';
    case 'image':
    case 'audio':
      return '';
    default:
      content satisfies never;
      return '';
  }
}

function replaceLast(draft: Draft, item: Item): void {
  draft.items[draft.items.length - 1] = item;
}
