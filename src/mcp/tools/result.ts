import type { CallToolResult, ContentBlock, ReadResourceResult } from '@modelcontextprotocol/sdk/types.js';
import type { ImagePart } from '../../contract/message.ts';
import { fail, ok, type ToolResult } from '../../contract/tool.ts';

const MAX_IMAGES = 5;
/** Larger ones are not even scaled down. */
const MAX_IMAGE_CHARACTERS = 30_000_000;

/** A server's response as a tool result. */
export function resultOf(
  { content, structuredContent, isError }: CallToolResult,
  accepts: { images: boolean },
): ToolResult {
  const images = content.flatMap((block) => imageOf(block) ?? []).slice(0, accepts.images ? MAX_IMAGES : 0);
  const texts = content
    .map((block) => textOf(block, { seen: images.length > 0 }))
    .filter((text) => text !== '');
  const said = content.some(({ type }) => type === 'text');
  const structured = structuredContent && !said ? [JSON.stringify(structuredContent, null, 2)] : [];
  const text = [...texts, ...structured].join('\n') || '(no output)';
  if (isError) return fail(text, { display: { kind: 'text', text } });
  return ok(text, { display: { kind: 'text', text }, ...(images.length > 0 && { images }) });
}

/** The content of a resource, for the model. */
export function resourceText({ contents }: ReadResourceResult): string {
  return contents.map((one) => resourcePart(one)).join('\n') || '(empty)';
}

function imageOf(block: ContentBlock): ImagePart | null {
  if (block.type !== 'image' || block.data.length > MAX_IMAGE_CHARACTERS) return null;
  return { type: 'image', mediaType: block.mimeType, data: block.data };
}

function textOf(block: ContentBlock, { seen }: { seen: boolean }): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
      return seen && imageOf(block) ? '' : `[image omitted: ${block.mimeType}]`;
    case 'audio':
      return `[audio omitted: ${block.mimeType}]`;
    case 'resource_link':
      return [`[resource ${block.uri}]`, block.name, block.description].filter(Boolean).join(' ');
    case 'resource':
      return resourcePart(block.resource);
    default:
      block satisfies never;
      return '';
  }
}

function resourcePart(part: ReadResourceResult['contents'][number]): string {
  const head = `[resource ${part.uri}]`;
  if ('text' in part) return `${head}\n${part.text}`;
  return `${head} [${part.blob.length} characters of base64 omitted, ${part.mimeType ?? 'unknown type'}]`;
}
