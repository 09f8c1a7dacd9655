export type ModelServerOptions = {
  /** Default: any free port. */
  port?: number;
  /** Accept clients without a key, as local servers do. Default: as strict as the vendor. */
  keyless?: boolean;
  /** The only models there are; others are 404. Default: any name is served, and a few are listed. */
  models?: readonly string[];
  /** Start again after the last step. Default: answer 500 and be `exhausted`. */
  loop?: boolean;
  /** What `/api/show` reports for every Ollama model. Default: completion, tools, thinking. */
  capabilities?: readonly string[];
  /** Context window that Ollama and Gemini report. Default: 40960. */
  contextLength?: number;
  /** Accept what the vendor would refuse. Default: refuse. */
  lenient?: boolean;
};

export const defaults = {
  port: 0,
  keyless: false,
  models: undefined as readonly string[] | undefined,
  loop: false,
  capabilities: ['completion', 'tools', 'thinking'] as readonly string[],
  contextLength: 40960,
  lenient: false,
};

export type Settled = typeof defaults;
