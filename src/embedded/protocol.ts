import type { Fit } from './models/fit.ts';
import type { Gpu } from './runtime/platform.ts';

/** A message in the words of chat templates. */
export type TemplateMessage = {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: unknown } }[];
  tool_call_id?: string;
  name?: string;
};

export type TemplateTool = { type: 'function'; function: Record<string, unknown> };

export type Dialogue = { messages: TemplateMessage[]; tools: TemplateTool[] };

export type LoadOrder = { runtime: string; gpu: Gpu; model: string; template: string | null; fit: Fit };

/** A grammar that holds from the beginning, or once the model has written `after`. */
export type Constraint = { grammar: string; after: string | null };

export type GenerateOrder = {
  prompt: string;
  /** The beginning of the prompt that many conversations share, and the file its state is kept in. */
  kept: { prefix: string; file: string } | null;
  maxTokens: number | null;
  temperature: number;
  seed: number | null;
  stop: readonly string[];
  /** Whether control tokens are part of the text. */
  specials: 'hidden' | 'shown';
  /** At most one begins to hold: the first whose time comes. */
  constraints: readonly Constraint[];
};

/** `warm`: tokens of the prompt that need not be read again; `fromDisk`: those that came out of a kept state. */
export type Generated = {
  reason: 'end' | 'max_tokens' | 'aborted';
  promptTokens: number;
  warm: number;
  fromDisk: number;
  outputTokens: number;
};

/** What the worker can be asked, and what it answers. */
export type Orders = {
  load: { order: LoadOrder; answer: { gpu: Gpu; gpuLayers: number; contextSize: number } };
  render: { order: Dialogue; answer: string };
  /** The text as it would arrive were these its tokens, with and without control tokens. */
  respell: { order: string; answer: { hidden: string; shown: string } };
  count: { order: string; answer: number };
  generate: { order: GenerateOrder; answer: Generated };
  embed: { order: readonly string[]; answer: number[][] };
  unload: { order: null; answer: null };
};

export type OrderName = keyof Orders;

export type ToWorker =
  | { [Name in OrderName]: { id: number; type: Name; order: Orders[Name]['order'] } }[OrderName]
  | { id: number; type: 'abort' };

export type FromWorker =
  | { id: number; type: 'text'; text: string }
  | { id: number; type: 'done'; answer: unknown }
  | { id: number; type: 'failed'; fault: 'overflow' | 'template' | 'other'; message: string };
