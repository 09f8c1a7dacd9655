import type { VendorName } from './vendors/vendor-of.ts';

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
  /** Whose rules apply to the formats of OpenAI. Default: told by the path or the model. */
  vendor?: VendorName;
  /** Also the rules that the program does not follow yet. Default: those it follows. */
  enforce?: 'all' | 'followed';
  /** Why requests may be answered worse than they could. Default: `close` fails if one was. */
  degrades?: string;
  /** Every reply starts with a thought, if the request lets the model think. Default: what the script says. */
  thinks?: boolean;
  /** The account at Anthropic: its thinking blocks belong to it, and newer ones have stricter rules. */
  account?: { id: string; createdAt: string };
};

export const defaults = {
  port: 0,
  keyless: false,
  models: undefined as readonly string[] | undefined,
  loop: false,
  capabilities: ['completion', 'tools', 'thinking'] as readonly string[],
  contextLength: 40960,
  lenient: false,
  vendor: undefined as VendorName | undefined,
  enforce: 'followed' as 'all' | 'followed',
  degrades: undefined as string | undefined,
  thinks: false,
  account: { id: 'org_scripted', createdAt: '2026-10-01T00:00:00Z' },
};

export type Settled = typeof defaults;
