import type { Fit } from './models/fit.ts';
import type { Gpu } from './runtime/platform.ts';

/** A message in the format of chat templates. */
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

/** A grammar that applies from the start, or once the model has written `after`. */
export type Constraint = { grammar: string; after: string | null };

export type GenerateOrder = {
  prompt: string;
  /** The prompt prefix that many conversations share, and the file for its state. */
  kept: { prefix: string; file: string } | null;
  maxTokens: number | null;
  temperature: number;
  seed: number | null;
  stop: readonly string[];
  /** Whether control tokens are part of the text. */
  specials: 'hidden' | 'shown';
  /** At most one takes effect: the first that is triggered. */
  constraints: readonly Constraint[];
};

/** `warm`: cached tokens of the prompt; `fromDisk`: those loaded from a saved state. */
export type Generated = {
  reason: 'end' | 'max_tokens' | 'aborted';
  promptTokens: number;
  warm: number;
  fromDisk: number;
  outputTokens: number;
};

/** `gpuLayers` of its `layers` are on the graphics card named `device`, which then has `freeBytes` left. */
export type LoadedModel = {
  gpu: Gpu;
  gpuLayers: number;
  layers: number;
  contextSize: number;
  device?: string;
  freeBytes?: number;
};

/** The worker's requests and answers. */
export type Orders = {
  load: { order: LoadOrder; answer: LoadedModel };
  render: { order: Dialogue; answer: string };
  /** The text as if it had arrived as tokens, with and without control tokens. */
  respell: { order: string; answer: { hidden: string; shown: string } };
  count: { order: string; answer: number };
  generate: { order: GenerateOrder; answer: Generated };
  embed: { order: readonly string[]; answer: number[][] };
};

export type OrderName = keyof Orders;

export type ToWorker =
  | { [Name in OrderName]: { id: number; type: Name; order: Orders[Name]['order'] } }[OrderName]
  | { id: number; type: 'abort' };

export type FromWorker =
  | { id: number; type: 'text'; text: string }
  /** How much of the model is loaded, from 0 to 1. */
  | { id: number; type: 'loading'; share: number }
  | { id: number; type: 'done'; answer: unknown }
  | { id: number; type: 'failed'; fault: 'overflow' | 'template' | 'other'; message: string };
