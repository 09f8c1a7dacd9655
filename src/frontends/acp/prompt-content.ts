import { fileURLToPath } from 'node:url';
import { type ContentBlock, RequestError } from '@agentclientprotocol/sdk';
import type { TypedPrompt } from '../../app/conversation/prompt-queue.ts';
import type { ImagePart, TextPart } from '../../contract/message.ts';
import { fenced } from './updates/tool-calls.ts';

/** A prompt of the protocol as the user would have typed it. Context follows the text that refers to it. */
export function promptOf(blocks: readonly ContentBlock[]): TypedPrompt {
  let text = '';
  let last: ContentBlock['type'] | null = null;
  const context: TextPart[] = [];
  const images: ImagePart[] = [];
  for (const block of blocks) {
    switch (block.type) {
      case 'text':
        text = joined(text, block.text, last === 'text' ? '\n\n' : ' ');
        break;
      case 'image':
        images.push({ type: 'image', mediaType: block.mimeType, data: block.data });
        break;
      case 'resource_link':
        text = joined(text, placeOf(block.uri), ' ');
        break;
      case 'resource':
        if ('text' in block.resource) {
          text = joined(text, placeOf(block.resource.uri), ' ');
          context.push(contextOf(block.resource));
        } else if (block.resource.mimeType?.startsWith('image/')) {
          images.push({ type: 'image', mediaType: block.resource.mimeType, data: block.resource.blob });
        } else throw unsupported(`an attached file (${block.resource.uri})`);
        break;
      case 'audio':
        throw unsupported('audio');
      default:
        block satisfies never;
    }
    last = block.type;
  }
  return { text, images, ...(context.length > 0 && { context }) };
}

/** Two texts are paragraphs, a mention is a word, unless the client has set them apart or something encloses it. */
function joined(before: string, text: string, separator: string): string {
  const isApart =
    before === '' || text === '' || /[\s([{<"'`]$/.test(before) || /^[\s)\]}>"'`.,;:!?]/.test(text);
  return isApart ? before + text : before + separator + text;
}

/** The editor has put it there; the user has seen its name at most. */
function contextOf({ uri, text }: { uri: string; text: string }): TextPart {
  const name = placeOf(uri);
  return {
    type: 'text',
    text: `\n\n${name}:\n${fenced(text)}`,
    origin: { kind: 'resource', name },
  };
}

/** A file by its path; anything else by its address. */
function placeOf(uri: string): string {
  const [address = uri, fragment] = uri.split('#');
  const lines = /^L(\d+)(?:[:-]L?(\d+))?$/.exec(fragment ?? '');
  const range = lines ? `:${lines[1]}${lines[2] ? `-${lines[2]}` : ''}` : '';
  if (!address.startsWith('file://')) return uri;
  try {
    return fileURLToPath(address) + range;
  } catch {
    return uri;
  }
}

function unsupported(what: string): RequestError {
  return RequestError.invalidParams(undefined, `This agent cannot read ${what}.`);
}
