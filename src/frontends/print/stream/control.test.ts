import { describe, expect, test } from 'vitest';
import { initialOptions } from './control.ts';

describe('the options in an initialize request', () => {
  test.each<[object, object]>([
    [{}, {}],
    [{ systemPrompt: 'a' }, { systemPrompt: 'a' }],
    [{ systemPrompt: ['a', 'b'] }, { systemPrompt: 'a\n\nb' }],
    [{ systemPrompt: [''] }, {}],
    [{ appendSystemPrompt: 'c' }, { appendSystemPrompt: 'c' }],
    [{ jsonSchema: { type: 'array' } }, { jsonSchema: '{"type":"array"}' }],
    [{ mcpServers: { a: { command: 'b' } } }, { mcpConfig: ['{"mcpServers":{"a":{"command":"b"}}}'] }],
    [{ hooks: {}, agents: null, sdkMcpServers: [], promptSuggestions: true }, {}],
  ])('%j', (request, options) => {
    expect(initialOptions({ subtype: 'initialize', ...request })).toEqual(options);
  });

  test.each<[object, string]>([
    [{ hooks: { PreToolUse: [{ hookCallbackIds: ['1'] }] } }, 'hooks cannot be passed over the stream.'],
    [{ sdkMcpServers: ['a'] }, 'sdkMcpServers cannot be passed over the stream.'],
    [{ agents: { a: {} } }, 'agents cannot be passed over the stream.'],
    [{ plugins: [{ type: 'local' }] }, 'plugins cannot be passed over the stream.'],
  ])('%j is refused instead of ignored', (request, words) => {
    expect(() => initialOptions({ subtype: 'initialize', ...request })).toThrow(words);
  });
});
