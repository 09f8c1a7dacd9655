import type { CompletionRequest } from '../contract/provider.ts';

/** The summary as every model is told it. Null when there is none. */
export function summarySection({ summary }: Pick<CompletionRequest, 'summary'>): string | null {
  if (!summary) return null;
  return `Previous context summary:\n## Earlier conversation summary (compressed)\n\n${summary}`;
}

/** For servers that know one system text: what may change stands behind what stays. */
export function systemWithSummary(request: Pick<CompletionRequest, 'system' | 'summary'>): string {
  return [request.system, summarySection(request) ?? ''].filter((text) => text !== '').join('\n\n');
}
