import type { UUID } from 'node:crypto';

/** The messages of Claude Code's stream, as the types of its Agent SDK describe them; only what we write. */
type Sent<Message> = Message & { uuid: UUID; session_id: string };

/** Messages of a subagent name the call that started it. */
type FromAgent<Message> = Sent<Message> & { parent_tool_use_id: string | null };

export type ClaudeUsage = {
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  cache_creation: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number };
  output_tokens_details: { thinking_tokens: number };
  server_tool_use: { web_search_requests: number; web_fetch_requests: number };
  service_tier: 'standard';
  speed: 'standard';
  inference_geo: string;
  iterations: never[];
  fallback_credit: null;
};

export type ContentBlock =
  | { type: 'text'; text: string; citations: null }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'tool_use'; id: string; name: string; input: Record<string, unknown> };

export type ClaudeStopReason = 'end_turn' | 'tool_use' | 'max_tokens' | 'refusal';

export type ClaudeReply = {
  id: string;
  type: 'message';
  role: 'assistant';
  model: string;
  content: ContentBlock[];
  stop_reason: ClaudeStopReason | null;
  stop_sequence: null;
  stop_details: null;
  container: null;
  context_management: null;
  diagnostics: null;
  usage: ClaudeUsage;
};

export type ImageType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';

type Image = { type: 'image'; source: { type: 'base64'; media_type: ImageType; data: string } };

export type PromptBlock = { type: 'text'; text: string } | Image;

export type ResultBlock = {
  type: 'tool_result';
  tool_use_id: string;
  content: PromptBlock[];
  is_error: boolean;
};

/** One event of the Messages API's stream. */
export type PartialEvent =
  | { type: 'message_start'; message: ClaudeReply }
  | { type: 'content_block_start'; index: number; content_block: ContentBlock }
  | {
      type: 'content_block_delta';
      index: number;
      delta:
        | { type: 'text_delta'; text: string }
        | { type: 'thinking_delta'; thinking: string; estimated_tokens: null }
        | { type: 'input_json_delta'; partial_json: string };
    }
  | { type: 'content_block_stop'; index: number }
  | {
      type: 'message_delta';
      delta: Pick<ClaudeReply, 'stop_reason' | 'stop_sequence' | 'stop_details' | 'container'>;
      context_management: null;
      usage: ClaudeUsage;
    }
  | { type: 'message_stop' };

export type ModelUsage = {
  inputTokens: number;
  outputTokens: number;
  cacheReadInputTokens: number;
  cacheCreationInputTokens: number;
  webSearchRequests: number;
  costUSD: number;
  contextWindow: number;
  maxOutputTokens: number;
};

export type PermissionDenial = {
  tool_name: string;
  tool_use_id: string;
  tool_input: Record<string, unknown>;
};

type ResultFields = {
  type: 'result';
  duration_ms: number;
  duration_api_ms: number;
  is_error: boolean;
  num_turns: number;
  stop_reason: string | null;
  total_cost_usd: number;
  usage: ClaudeUsage;
  modelUsage: Record<string, ModelUsage>;
  permission_denials: PermissionDenial[];
};

export type ClaudeResult = Sent<
  ResultFields &
    (
      | { subtype: 'success'; result: string; structured_output?: unknown }
      | {
          subtype:
            | 'error_during_execution'
            | 'error_max_turns'
            | 'error_max_budget_usd'
            | 'error_max_structured_output_retries';
          errors: string[];
        }
    )
>;

/** What a session tells about itself at the start of a run. */
export type SessionFacts = {
  cwd: string;
  model: string;
  permissionMode: 'default' | 'acceptEdits' | 'plan' | 'bypassPermissions' | 'dontAsk';
  tools: string[];
  mcp_servers: { name: string; status: string }[];
  slash_commands: string[];
  skills: string[];
  plugins: { name: string; path: string }[];
  apiKeySource: 'none';
  claude_code_version: string;
  output_style: string;
};

export type ClaudeMessage =
  | Sent<{ type: 'system'; subtype: 'init' } & SessionFacts>
  | FromAgent<{ type: 'assistant'; message: ClaudeReply }>
  | FromAgent<{ type: 'user'; message: { role: 'user'; content: ResultBlock[] } }>
  | FromAgent<{ type: 'user'; message: { role: 'user'; content: PromptBlock[] }; isReplay: true }>
  | FromAgent<{ type: 'stream_event'; event: PartialEvent }>
  | Sent<{
      type: 'system';
      subtype: 'compact_boundary';
      compact_metadata: { trigger: 'manual' | 'auto'; pre_tokens: number; post_tokens: number };
    }>
  | ClaudeResult;
