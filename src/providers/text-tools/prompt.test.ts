import { describe, expect, test } from 'vitest';
import type { ToolDefinition } from '../../contract/request/tool-definition.ts';
import { writeSystem } from './prompt.ts';

const list: ToolDefinition = { name: 'List', description: 'List files.', parameters: { type: 'object' } };
const read: ToolDefinition = {
  name: 'Read',
  description: 'Read a file.',
  parameters: {
    type: 'object',
    properties: {
      file_path: { type: 'string', description: 'File to read' },
      offset: { type: 'integer', default: 0, description: 'Lines to skip' },
      how: { enum: ['text', 'hex'] },
      parts: { type: 'array', items: { type: 'number' } },
      range: { type: 'object', properties: { from: { type: 'integer' } } },
    },
    required: ['file_path', 'parts'],
  },
};

describe('the system prompt of a model without native tools [R05]', () => {
  test('describes each tool with its required parameters', () => {
    const prompt = writeSystem('You are careful.', [list, read], 'xml');
    expect(prompt.startsWith('You are careful.\n\n# Tools\n')).toBe(true);
    expect(
      prompt.endsWith(
        [
          '## List',
          'List files.',
          '',
          '## Read',
          'Read a file.',
          '- file_path (string, required): File to read',
          '- offset (integer, default 0): Lines to skip',
          '- how ("text" | "hex")',
          '- parts (list of number, required)',
          '- range ({"type":"object","properties":{"from":{"type":"integer"}}})',
        ].join('\n'),
      ),
    ).toBe(true);
  });

  test('shows one example in the requested format, with a tool that exists', () => {
    const json = '{"file_path":"src/main.ts","parts":[]}';
    expect(writeSystem('', [list, read], 'xml')).toContain(
      `\n<tool_call>\n{"name": "Read", "parameters": ${json}}\n</tool_call>\n`,
    );
    expect(writeSystem('', [list, read], 'fence')).toContain(
      `\n\`\`\`tool_call\n{"name": "Read", "arguments": ${json}}\n\`\`\`\n`,
    );
    expect(writeSystem('', [list], 'xml')).toContain('{"name": "List", "parameters": {}}');
  });

  test('without tools the example never uses the other format', () => {
    expect(writeSystem('', [read], 'xml')).not.toContain('```');
    expect(writeSystem('', [read], 'fence')).not.toContain('<tool_call>');
  });
});
