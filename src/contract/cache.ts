/** What is kept so that it need not be worked out again. */
export type CacheKind = 'checksum' | 'read' | 'glob' | 'grep' | 'llm' | 'tool_result';
