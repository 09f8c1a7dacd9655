import { expect, test } from 'vitest';
import { fails, hello, loopback, modelInfo, play } from '../../../test/support/loopback.ts';
import { wires } from '../../../test/support/wires.ts';
import { kindOf } from './http-errors.ts';

const BOUND =
  'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".';

const stale: [who: string, status: number, message: string][] = [
  ['Anthropic, another prefix', 400, BOUND],
  [
    'Anthropic, without the beta, with a cause',
    400,
    `${BOUND} That setting requires the \`thinking-binding-controls-2026-08-01\` value in the \`anthropic-beta\` header. The system prompt changed, and the model not found in tools of this region.`,
  ],
  ['Anthropic, damaged', 400, 'messages.1.content.0: Invalid `signature` in `thinking` block'],
  [
    'Anthropic, edited',
    400,
    'messages.3.content.1: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were.',
  ],
  [
    'OpenAI, another account',
    400,
    'The encrypted content gAAA...== could not be verified. Reason: Encrypted content organization_id did not match the target organization.',
  ],
  ['OpenAI, by item', 400, 'The encrypted content for item rs_1 could not be verified.'],
  [
    'OpenAI, not stored',
    404,
    "Item with id 'rs_68' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
  ],
  [
    'OpenAI, alone',
    400,
    "Item 'rs_68ab' of type 'reasoning' was provided without its required following item.",
  ],
  [
    'OpenAI, a call alone',
    400,
    "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.",
  ],
  ['xAI', 400, 'Could not decrypt the provided encrypted_content.'],
  ['Google, damaged', 400, 'Corrupted thought signature.'],
  ['Google, another key', 400, 'Invalid thought signature.'],
  [
    'Google, absent',
    400,
    'Function call `default_api:Bash` in the 2. content block is missing a `thought_signature`.',
  ],
];

test.each(stale)('%s: reasoning that does not fit is its own kind of error', (_, status, message) => {
  expect(kindOf(status, message)).toBe('stale_reasoning');
});

test.each([
  '"thinking.type.disabled" is not supported for this model.',
  'adaptive thinking is not supported on this model',
  'messages.0: text content blocks must be non-empty',
  'The reasoning_content in the thinking mode must be passed back to the API.',
  'No tool output found for function call call_1.',
  'Invalid signature for AWS request',
])('%s: an error that removing reasoning does not solve stays a bad request', (message) => {
  expect(kindOf(400, message)).toBe('bad_request');
});

test.each(Object.entries(wires))(
  '%s: reports stale reasoning of an error response and in a stream',
  async (_, { create }) => {
    const server = await loopback((response) =>
      fails(response, 400, { body: { error: { type: 'invalid_request_error', message: BOUND } } }),
    );
    const { error } = await play(
      create({ name: 'v', baseUrl: server.url, infoOf: () => modelInfo() }),
      hello(),
    );
    expect(error).toMatchObject({ kind: 'stale_reasoning', message: BOUND });
  },
);
