/** Names and labels are a contract with dashboards and alert rules: ops/ holds the ones we ship. */
export type MetricDefinition = {
  name: string;
  help: string;
  labels: readonly string[];
} & (
  | {
      type: 'counter';
      /** Prometheus requires this suffix for counters: the metric is exported under both names. */
      alias?: string;
    }
  | { type: 'gauge' }
  | { type: 'histogram'; unit: string; buckets: readonly number[] }
);

/** Alert thresholds are bucket bounds, so that a quantile is exact where it matters. */
const TOOL_SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
const MODEL_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600];
const TOKENS = [1_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 200_000, 400_000, 1_000_000];

export const metricDefinitions = [
  {
    type: 'counter',
    name: 'tool_execution_count',
    alias: 'tool_execution_count_total',
    help: 'Tool calls by how they ended: success, error, denied or invalid',
    labels: ['tool', 'status'],
  },
  {
    type: 'counter',
    name: 'llm_api_calls',
    alias: 'llm_api_calls_total',
    help: 'Requests to models; each attempt counts',
    labels: ['provider', 'model'],
  },
  {
    type: 'counter',
    name: 'permission_denials',
    alias: 'permission_denials_total',
    help: 'Calls that were refused, by the rule or person that refused them',
    labels: ['tool', 'pattern'],
  },
  {
    type: 'counter',
    name: 'cache_hits',
    alias: 'cache_hits_total',
    help: 'Answers found in the cache',
    labels: ['cache_type'],
  },
  {
    type: 'counter',
    name: 'cache_misses',
    alias: 'cache_misses_total',
    help: 'Answers not found in the cache',
    labels: ['cache_type'],
  },
  {
    type: 'counter',
    name: 'errors',
    alias: 'errors_total',
    help: 'Failures of all kinds: source is llm, tool or agent',
    labels: ['type', 'source'],
  },
  { type: 'counter', name: 'llm_api_errors_total', help: 'Requests to models that failed', labels: [] },
  {
    type: 'counter',
    name: 'reasoning_dropped',
    help: 'Blocks of earlier reasoning that the vendor left out of a request',
    labels: ['reason'],
  },
  {
    type: 'counter',
    name: 'cache_missed_tokens',
    help: "Tokens that the vendor's prompt cache could have served, and did not",
    labels: [],
  },
  {
    type: 'counter',
    name: 'tool_execution_errors_total',
    help: 'Tool calls that ran and failed',
    labels: [],
  },
  {
    type: 'histogram',
    name: 'tool_execution_duration_seconds',
    help: 'How long tool calls ran',
    labels: ['tool'],
    unit: 's',
    buckets: TOOL_SECONDS,
  },
  {
    type: 'histogram',
    name: 'llm_response_time_seconds',
    help: 'From a request to the end of the answer',
    labels: ['provider'],
    unit: 's',
    buckets: MODEL_SECONDS,
  },
  {
    type: 'histogram',
    name: 'context_token_count',
    help: 'Tokens sent: phase is request, side_job, before_compaction or after_compaction',
    labels: ['phase'],
    unit: '{token}',
    buckets: TOKENS,
  },
  {
    type: 'gauge',
    name: 'active_context_tokens',
    help: 'Tokens of the conversation as sent',
    labels: [],
  },
  {
    type: 'gauge',
    name: 'context_tokens_used',
    help: "Tokens of the model's context window in use",
    labels: [],
  },
  { type: 'gauge', name: 'context_window_tokens', help: "Size of the model's context window", labels: [] },
  { type: 'gauge', name: 'session_message_count', help: 'Messages in the session', labels: [] },
  { type: 'gauge', name: 'cached_entries', help: 'Answers in the cache', labels: ['cache_type'] },
  {
    type: 'gauge',
    name: 'cache_hit_ratio',
    help: 'Share of lookups that found an answer; absent before the first lookup',
    labels: [],
  },
] as const satisfies readonly MetricDefinition[];

export type MetricName = (typeof metricDefinitions)[number]['name'];
