import { type Json, record, records } from '../../protocol.ts';
import { betasOf, type Rule } from '../rule.ts';
import { claudeOf, takesSystemMessages } from './claude.ts';
import { blocksOf } from './prefix.ts';

const PAGE = 'build-with-claude/mid-conversation-system-messages';
const CLEAR_BETA = 'mid-conversation-system-clear-at-2026-08-21';
const TOOLS_BETA = 'mid-conversation-tool-changes-2026-07-01';
const INLINE_BETA = 'inline-tools-2026-09-15';
const CHANGES = ['tool_addition', 'tool_removal'];

function systemMessages(body: Json): [index: number, message: Json][] {
  return [...records(body.messages).entries()].filter(([, { role }]) => role === 'system');
}

export const systemMessageRules: Rule[] = [
  {
    rule: 'only newer models take system messages in the conversation',
    page: PAGE,
    *check({ body, model }) {
      const claude = claudeOf(model);
      if (systemMessages(body).length > 0 && !takesSystemMessages(claude))
        yield "role 'system' is not supported on this model";
    },
  },
  {
    rule: 'a system message follows a user turn and is last or precedes an assistant turn',
    page: PAGE,
    *check({ body }) {
      const messages = records(body.messages);
      for (const [i, { content, output_config }] of systemMessages(body)) {
        const before = messages.slice(0, i).findLast(({ role }) => role !== 'system');
        const after = messages.slice(i + 1).find(({ role }) => role !== 'system');
        const pending = before?.role === 'assistant' && blocksOf(before.content).some(isToolUse);
        const onlyEffort = output_config !== undefined && blocksOf(content).length === 0;
        const follows = before?.role === 'user' || (before !== undefined && endsInServerResult(before));
        const precedes = after === undefined || after.role === 'assistant';
        if (pending || (!onlyEffort && !(follows && precedes)))
          yield `messages.${i}: role 'system' must directly follow a 'user' turn, or an 'assistant' turn that ends in a server tool result, and be last or directly precede an 'assistant' turn`;
      }
    },
  },
  {
    rule: 'a turn-scoped system message has its beta header and only text',
    page: PAGE,
    *check({ body, headers }) {
      const hasBeta = betasOf({ body, headers }).has(CLEAR_BETA);
      for (const [i, { role, content, clear_at, output_config }] of records(body.messages).entries()) {
        if (clear_at === undefined) continue;
        const at = `messages.${i}.clear_at`;
        if (!hasBeta) yield `${at}: Extra inputs are not permitted`;
        else if (role !== 'system') yield `${at}: clear_at is only permitted on role 'system' messages`;
        else if (clear_at !== 'next_user_message') yield `${at}: Input should be 'next_user_message'`;
        if (blocksOf(content).some(({ type }) => type !== 'text'))
          yield `${at}: a turn-scoped system message supports text blocks only`;
        if (blocksOf(content).some(({ cache_control }) => cache_control !== undefined))
          yield `${at}: cache_control is not permitted on a turn-scoped system message`;
        if (output_config !== undefined)
          yield `${at}: output_config is not permitted on a turn-scoped system message`;
      }
    },
  },
  {
    rule: 'tool changes have their beta header and name declared tools',
    page: PAGE,
    *check({ body, headers }) {
      const betas = betasOf({ body, headers });
      const declared = new Set(records(body.tools).map(({ name }) => name));
      for (const [i, { role, content }] of records(body.messages).entries()) {
        for (const [j, block] of blocksOf(content).entries()) {
          if (!CHANGES.includes(String(block.type))) continue;
          const at = `messages.${i}.content.${j}`;
          const tool = record(block.tool);
          if (role !== 'system' || !(betas.has(TOOLS_BETA) || betas.has(INLINE_BETA)))
            yield `${at}: Input tag '${String(block.type)}' found using 'type' does not match any of the expected tags`;
          else if (tool.type === 'tool_definition') {
            if (!betas.has(INLINE_BETA))
              yield `${at}.tool: Input tag 'tool_definition' found using 'type' does not match any of the expected tags`;
            declared.add(record(tool.definition).name);
          } else if (!declared.has(tool.name))
            yield `${at}.tool.name: tool '${String(tool.name)}' is not declared in \`tools\``;
        }
      }
    },
  },
  {
    rule: 'at least one tool is not deferred, and the search tool never is',
    page: 'agents-and-tools/tool-use/tool-search-tool',
    *check({ body }) {
      const tools = records(body.tools);
      if (tools.length > 0 && tools.every(({ defer_loading }) => defer_loading === true))
        yield 'At least one tool must have defer_loading=false.';
      for (const { type, name, defer_loading } of tools) {
        if (defer_loading === true && String(type).startsWith('tool_search_tool_'))
          yield `tools: the tool search tool '${String(name)}' cannot be deferred`;
      }
    },
  },
  {
    rule: 'a tool reference names a declared tool',
    page: 'agents-and-tools/tool-use/tool-search-tool',
    *check({ body }) {
      const declared = records(body.tools).map(({ name }) => name);
      const results = records(body.messages)
        .flatMap(({ content }) => blocksOf(content))
        .filter(({ type }) => type === 'tool_result');
      for (const { tool_name } of results
        .flatMap(({ content }) => records(content))
        .filter(({ type }) => type === 'tool_reference')) {
        if (!declared.includes(tool_name))
          yield `Tool reference '${String(tool_name)}' not found in available tools`;
      }
    },
  },
  {
    rule: 'while called code is pending, the container is named and only results are sent',
    page: 'agents-and-tools/tool-use/programmatic-tool-calling',
    *check({ body }) {
      const messages = records(body.messages);
      const last = messages.at(-1);
      const before = messages.at(-2);
      const pending = blocksOf(before?.content).some(
        (block) => isToolUse(block) && String(record(block.caller).type).startsWith('code_execution_'),
      );
      if (!pending || last?.role !== 'user') return;
      if (body.container === undefined)
        yield 'container: `container` is required while a programmatic tool call is pending';
      if (blocksOf(last.content).some(({ type }) => type !== 'tool_result'))
        yield 'messages: only `tool_result` blocks are allowed while a programmatic tool call is pending';
    },
  },
];

function isToolUse({ type }: Json): boolean {
  return type === 'tool_use';
}

function endsInServerResult({ role, content }: Json): boolean {
  const type = String(blocksOf(content).at(-1)?.type);
  return role === 'assistant' && type.endsWith('_tool_result') && type !== 'tool_result';
}
