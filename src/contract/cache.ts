/** Kinds of cached results. */
export type CacheKind = 'checksum' | 'read' | 'glob' | 'grep' | 'llm' | 'tool_result';
