import type { Message } from '../../contract/message.ts';

/** Warns that a secret was sent before it was recognized as one: hiding it again would protect nothing. */
export function createExposureNotice(warn: (text: string) => void) {
  return (placeholder: string, message: Message | undefined): void => {
    const name = /^\[secret:(.+):[0-9a-f]{8}\]$/.exec(placeholder)?.[1] ?? 'A secret';
    warn(
      `The secret ${name} was already sent to the model, ${placeOf(message)}, before it was recognized. It is hidden from now on. Replace it with a new one where it was issued.`,
    );
  };
}

function placeOf(message: Message | undefined): string {
  switch (message?.role) {
    case 'user':
      return 'in a prompt';
    case 'tool':
      return `in a result of ${message.name}`;
    case 'assistant':
      return 'in one of its own replies';
    default:
      return 'earlier in this conversation';
  }
}
