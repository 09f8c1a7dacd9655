import type { ProviderOptions } from '../options.ts';
import { EFFORT_BETA } from './effort.ts';
import { TOOL_CHANGES } from './mid-conversation.ts';
import { showsNotes } from './thinking.ts';
import type { WireRequest } from './wire.ts';

/** For summaries that the vendor makes, and for the blocks that it made. */
const COMPACTION = 'compact-2026-09-04';
/** The reply says which thinking of the request was left out. */
const BINDING_REPORTS = 'thinking-binding-controls-2026-08-01';
const DISPLAY_UPDATES = 'thinking-display-updates-2026-08-18';

/** The betas that a request uses. */
export function betasOf({
  thinking,
  messages,
  compaction,
}: Pick<WireRequest, 'messages' | 'compaction'> & {
  thinking?: WireRequest['thinking'] | undefined;
}): string[] {
  return [
    ...(compaction || startsWithSummary(messages) ? [COMPACTION] : []),
    ...(showsNotes(thinking) ? [DISPLAY_UPDATES, BINDING_REPORTS] : []),
    ...(changesTools(messages) ? TOOL_CHANGES : []),
    ...(messages.some((message) => 'output_config' in message) ? [EFFORT_BETA] : []),
  ];
}

function startsWithSummary([first]: WireRequest['messages']): boolean {
  // The SDK types know the block only in its beta.
  const type: string | undefined = typeof first?.content === 'object' ? first.content[0]?.type : undefined;
  return type === 'compaction';
}

function changesTools(messages: WireRequest['messages']): boolean {
  return messages.some(
    ({ role, content }) =>
      role === 'system' && typeof content !== 'string' && content.some((block) => block.type !== 'text'),
  );
}

/** A header with these betas, besides those that the user configured. */
export function withBetaHeader(options: ProviderOptions, betas: readonly string[]): ProviderOptions {
  if (betas.length === 0) return options;
  const { headers = {} } = options;
  const [name = 'anthropic-beta', value = ''] =
    Object.entries(headers).find(([key]) => key.toLowerCase() === 'anthropic-beta') ?? [];
  const all = [...value.split(',').map((beta) => beta.trim()), ...betas].filter((beta) => beta !== '');
  return { ...options, headers: { ...headers, [name]: [...new Set(all)].join(',') } };
}

/** Clouds take them in the body. */
export function withBetaField(body: object, betas: readonly string[]): object {
  return betas.length === 0 ? body : { ...body, anthropic_beta: betas };
}
