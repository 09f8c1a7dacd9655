/** A tool as a model sees it: `parameters` is JSON Schema. */
export type ToolDefinition = { name: string; description: string; parameters: Record<string, unknown> };
