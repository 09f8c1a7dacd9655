import { ProviderError } from '../../contract/errors.ts';
import type { CompletionRequest } from '../../contract/provider.ts';
import type { VendorSummary } from '../../contract/request/vendor-summary.ts';
import type { ConnectedModel } from './background-model.ts';
import type { Choice } from './choose-model.ts';

/** A summary in the form of the vendor, its words if it can be read, and the model that made it. */
export type SummaryAtVendor = { vendorSummary: VendorSummary; text?: string; by: string };

/** Null if the vendor cannot, or fails: then a model is asked for a summary in words. */
export type SummarizeAtVendor = (
  request: CompletionRequest,
  signal: AbortSignal,
) => Promise<SummaryAtVendor | null>;

/** Whether the model reads what this provider made of a conversation. */
export function readsSummaryOf(
  provider: string,
  { preset, model }: Pick<Choice, 'preset' | 'model'>,
): boolean {
  return preset.name === provider && preset.summarizes?.test(model) === true;
}

/** Lets the vendor of the answering model summarize. What a vendor has refused once is not asked again. */
export function summarizerAtVendor(answering: () => ConnectedModel): SummarizeAtVendor {
  const refused = new Set<string>();
  return async (request, signal) => {
    const { choice, provider } = answering();
    const by = `${choice.preset.name}/${choice.model}`;
    if (!readsSummaryOf(choice.preset.name, choice) || refused.has(by)) return null;
    try {
      let made: SummaryAtVendor | null = null;
      // To its end: what it costs comes last.
      for await (const event of provider.stream({ ...request, summarize: true }, signal)) {
        if (event.type !== 'summarized') continue;
        const { items, text } = event;
        made = { vendorSummary: { provider: choice.preset.name, items }, ...(text && { text }), by };
      }
      if (made) return made;
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      if (error.kind !== 'bad_request' && error.kind !== 'model_not_found') return null;
    }
    refused.add(by);
    return null;
  };
}
