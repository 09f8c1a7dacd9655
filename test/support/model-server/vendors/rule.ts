import type { IncomingHttpHeaders } from 'node:http';
import type { Settled } from '../options.ts';
import type { Json, ProtocolName } from '../protocol.ts';
import type { SentReplies } from './sent-replies.ts';

/** One request, as a vendor sees it. */
export type VendorRequest = {
  protocol: ProtocolName;
  body: Json;
  headers: IncomingHttpHeaders;
  path: string;
  model: string;
  /** The request only counts tokens. */
  counting: boolean;
  settled: Settled;
  /** What this server sent before. */
  sent: SentReplies;
};

/** A text is a 400. `degraded` means that the vendor answers, but worse than it could. */
export type Violation = string | { status: number; message: string; type?: string } | { degraded: string };

/** One documented rule of a vendor. */
export type Rule = {
  /** A plain sentence that no other rule has. */
  rule: string;
  /** The public documentation page that states it. */
  page: string;
  check(request: VendorRequest): Iterable<Violation>;
};

/** The values of the `anthropic-beta` header; Bedrock and Google Cloud also take them in the body. */
export function betasOf({ headers, body }: Pick<VendorRequest, 'headers' | 'body'>): Set<string> {
  const inBody = Array.isArray(body.anthropic_beta) ? body.anthropic_beta.map(String) : [];
  const inHeader = String(headers['anthropic-beta'] ?? '').split(',');
  return new Set([...inBody, ...inHeader.map((beta) => beta.trim())].filter((beta) => beta !== ''));
}
