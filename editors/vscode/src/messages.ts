import type { ChatConnection, ChatEvent } from '../../../web/chat/connection.ts';

/** What the chat calls: every method of the connection but `onEvent`, for which there are messages. */
export type ChatMethod = Exclude<keyof ChatConnection, 'onEvent'>;

/** From the webview to the extension host. Every `call` gets one `result`. */
export type ToHost =
  /** The chat listens now. The host sends the events of the session that is open, from its beginning. */
  { type: 'ready' } | { [Method in ChatMethod]: Call<Method> }[ChatMethod];

type Call<Method extends ChatMethod> = {
  type: 'call';
  id: number;
  method: Method;
  args: Parameters<NonNullable<ChatConnection[Method]>>;
};

/** From the extension host to the webview. */
export type ToWebview =
  | { type: 'events'; events: ChatEvent[] }
  | { type: 'result'; id: number; value?: unknown }
  | { type: 'result'; id: number; error: string }
  /** Moves the focus to the prompt. */
  | { type: 'focus' };
