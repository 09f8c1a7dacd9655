import { takesSystemMessages } from '../../providers/anthropic/mid-conversation.ts';
import type { Choice } from './choose-model.ts';

/** Whether tools may be added in the middle of a conversation: a beta of the vendor's own service. */
export function takesToolChanges({ preset, model }: Pick<Choice, 'preset' | 'model'>): boolean {
  return preset.name === 'anthropic' && takesSystemMessages(model);
}
