import type { Usage } from '../../contract/message.ts';
import type { CompletionRequest, ProviderEvent } from '../../contract/provider.ts';
import { estimateTokens } from '../../providers/models/estimate-tokens.ts';

const CHARACTERS_PER_TOKEN = 3.5;

/** Estimates an answer's usage, for calls whose vendor did not report it. */
export class UsageEstimate {
  usage: Usage | undefined;
  /** The service tier of the reply, in the vendor's word. */
  tier: string | undefined;
  hasOutput = false;
  /** Web searches that the vendor made for the answer. */
  searches = 0;
  #characters = 0;

  take(event: ProviderEvent): void {
    this.hasOutput = true;
    if (event.type === 'usage') {
      this.usage = event.usage;
      this.tier = event.tier;
    } else if (event.type === 'web_search') this.searches += event.searches;
    else if ('text' in event) this.#characters += event.text.length;
    else if ('json' in event) this.#characters += event.json.length;
  }

  estimate(request: CompletionRequest): Usage {
    const outputTokens = Math.ceil(this.#characters / CHARACTERS_PER_TOKEN);
    const { usage } = this;
    if (usage) return { ...usage, outputTokens: Math.max(usage.outputTokens, outputTokens) };
    return { inputTokens: estimateTokens(request), outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0 };
  }
}
