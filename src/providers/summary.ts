import type { CompletionRequest } from '../contract/provider.ts';

/** The summary as sent to every model. Null if there is none. */
export function summarySection({ summary }: Pick<CompletionRequest, 'summary'>): string | null {
  if (!summary) return null;
  return `Previous context summary:\n## Earlier conversation summary (compressed)\n\n${summary}`;
}

/** For servers with a single system text: the stable part first, the changing part after it. */
export function systemWithSummary(request: Pick<CompletionRequest, 'system' | 'summary'>): string {
  return [request.system, summarySection(request) ?? ''].filter((text) => text !== '').join('\n\n');
}
