import { z } from 'zod';
import { UserError } from '../../../contract/errors.ts';
import { asTyped, type UserMessage } from '../../../contract/message.ts';
import { imageOf } from '../../../lib/images/image-kind.ts';
import { isObject, parseJson } from '../../../lib/text/json.ts';
import { imagePart } from '../../../tools/reading/image.ts';

/** What the other side asks of the session: `{ subtype: "interrupt" }` and the like. */
export type ControlRequest = { subtype: string } & Record<string, unknown>;

export type Input =
  /** `waits`: it is sent together with the next one. */
  | { type: 'prompt'; content: UserMessage['content']; waits: boolean }
  | { type: 'request'; id: string; request: ControlRequest }
  | { type: 'answer'; id: string; response: Record<string, unknown> }
  | { type: 'nothing' };

const HINT = 'Send {"type":"user","text":"…"} or {"type":"interrupt"}, one object a line.';

const contentBlock = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({
    type: z.literal('image'),
    source: z.object({ type: z.literal('base64'), media_type: z.string(), data: z.base64() }),
  }),
]);

const lines = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('user'),
    text: z.string().exactOptional(),
    /** As in Claude Code. */
    message: z
      .object({
        role: z.literal('user').exactOptional(),
        content: z.union([z.string(), z.array(contentBlock)]),
      })
      .exactOptional(),
    shouldQuery: z.boolean().exactOptional(),
  }),
  z.object({ type: z.literal('interrupt') }),
  z.object({
    type: z.literal('control_request'),
    request_id: z.string(),
    request: z.looseObject({ subtype: z.string() }),
  }),
  z.object({
    type: z.literal('control_response'),
    response: z.looseObject({ request_id: z.string() }),
  }),
  z.object({ type: z.literal('control_cancel_request') }),
  z.object({ type: z.literal('keep_alive') }),
]);

/** One line of `--input-format stream-json`, ours or Claude Code's. Throws a `UserError` for anything else. */
export function parseLine(line: string): Input {
  const value = parseJson(line);
  const start = line.slice(0, 100);
  if (value === undefined) throw new UserError(`This input line is not JSON: ${start}`, HINT);
  const parsed = lines.safeParse(value);
  if (!parsed.success) throw new UserError(`${problemOf(value, parsed.error)}: ${start}`, HINT);
  const { data } = parsed;
  switch (data.type) {
    case 'user': {
      const content = data.text ?? data.message?.content;
      if (content === undefined) throw new UserError(`This message has no text: ${start}`, HINT);
      return { type: 'prompt', content: partsOf(content), waits: data.shouldQuery === false };
    }
    case 'interrupt':
      return { type: 'request', id: '', request: { subtype: 'interrupt' } };
    case 'control_request':
      return { type: 'request', id: data.request_id, request: data.request };
    case 'control_response':
      return { type: 'answer', id: data.response.request_id, response: data.response };
    case 'control_cancel_request':
    case 'keep_alive':
      return { type: 'nothing' };
    default:
      return data satisfies never;
  }
}

function problemOf(value: unknown, error: z.ZodError): string {
  const type = isObject(value) ? value.type : undefined;
  if (!lines.options.some((option) => option.shape.type.value === type)) return 'Unknown input line';
  const [issue] = error.issues;
  if (issue?.path.includes('content')) return 'Only text and base64 images can be sent';
  return `Invalid ${issue?.path.join('.') || 'line'} in this input line`;
}

function partsOf(content: string | z.infer<typeof contentBlock>[]): UserMessage['content'] {
  if (typeof content === 'string') return [asTyped(content)];
  return content.map((block) => {
    if (block.type === 'text') return asTyped(block.text);
    const bytes = Buffer.from(block.source.data, 'base64');
    const image = imageOf(bytes);
    if (!image?.size)
      throw new UserError(
        `An image in the input is damaged, or not an image.`,
        'Send PNG, JPEG, GIF or WebP.',
      );
    return imagePart(image.mediaType, bytes);
  });
}
