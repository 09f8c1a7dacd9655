import type { ToolDefinition } from '../../contract/request/tool-definition.ts';
import { readLoose } from '../../lib/loose/loose-json.ts';
import { readCalls } from './calls.ts';
import { CallParser, type CallReader } from './parse.ts';

/**
 * The schema of a reply, for servers that support constrained output: some text, and calls of these tools.
 */
export function grammarSchema(tools: readonly ToolDefinition[]): Record<string, unknown> {
  const calls = tools.map(({ name, parameters }) => ({
    type: 'object',
    properties: { name: { type: 'string', enum: [name] }, arguments: parameters },
    required: ['name', 'arguments'],
    additionalProperties: false,
  }));
  return {
    type: 'object',
    properties: { say: { type: 'string' }, calls: { type: 'array', items: { anyOf: calls } } },
    required: ['say', 'calls'],
    additionalProperties: false,
  };
}

/** Parses a reply that follows the schema once it is complete; any other reply is read as plain text. */
export function createGrammarReader(tools: readonly string[]): CallReader {
  let reply = '';
  return {
    push(text) {
      reply += text;
      return '';
    },
    end(how) {
      const { say, calls } = objectIn(reply);
      if (how?.cut && typeof say === 'string' && !Array.isArray(calls)) return { text: say, calls: [] };
      if (typeof say === 'string' && Array.isArray(calls)) {
        const read =
          calls.length === 0 ? [] : readCalls(JSON.stringify(calls), { closed: true, explicit: false });
        if (read) return { text: say, calls: read };
      }
      const parser = new CallParser(tools);
      const before = parser.push(reply);
      const rest = parser.end(how);
      return { text: before + rest.text, calls: rest.calls };
    },
  };
}

function objectIn(reply: string): { say?: unknown; calls?: unknown } {
  const read = readLoose(reply.trim(), { from: 0, fill: true });
  return typeof read?.value === 'object' && read.value !== null ? read.value : {};
}
