import { type ToolMessage, textOf } from '../contract/message.ts';

/**
 * A result for protocols without a failure field: the model must be able to distinguish a failure from an
 * output that reads like one.
 */
export function resultText(message: ToolMessage): string {
  const text = textOf(message);
  if (message.success) return text;
  if (text === '') return 'Error: the call failed without a message.';
  return /^error\b/i.test(text) ? text : `Error: ${text}`;
}
