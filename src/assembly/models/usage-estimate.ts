import type { Usage } from '../../contract/message.ts';
import type { CompletionRequest, ProviderEvent } from '../../contract/provider.ts';
import { estimateTokens } from '../../providers/models/estimate-tokens.ts';
import { textBound } from '../../providers/models/token-bound.ts';

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
  #mostTokens = 0;

  take(event: ProviderEvent): void {
    this.hasOutput = true;
    if (event.type === 'usage') {
      this.usage = event.usage;
      this.tier = event.tier;
    } else if (event.type === 'web_search') this.searches += event.searches;
    else if ('text' in event) this.#count(event.text ?? '');
    else if ('json' in event) this.#count(event.json);
  }

  /** What was reported, and the most tokens that what arrived can have. */
  get most(): { usage: Usage | undefined; outputTokens: number } {
    return { usage: this.usage, outputTokens: this.#mostTokens };
  }

  #count(text: string): void {
    this.#characters += text.length;
    this.#mostTokens += textBound(text);
  }

  estimate(request: CompletionRequest): Usage {
    const outputTokens = Math.ceil(this.#characters / CHARACTERS_PER_TOKEN);
    const { usage } = this;
    if (usage) return { ...usage, outputTokens: Math.max(usage.outputTokens, outputTokens) };
    return { inputTokens: estimateTokens(request), outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0 };
  }
}
