import type { Steering } from '../../agent/steering.ts';
import { appliesDuringRun } from '../../commands/dispatch.ts';
import { asTyped, type UserMessage } from '../../contract/message.ts';
import type { TypedPrompts } from './prompt-history.ts';
import type { TypedPrompt, WaitingPrompts } from './prompt-queue.ts';

type SteeringDeps = {
  /** The prompts that wait for the next step; null if there are none. */
  waiting(): WaitingPrompts | null;
  /** Adds what the prompts mention. */
  expand(content: UserMessage['content']): Promise<UserMessage['content']>;
  history: Pick<TypedPrompts, 'add'>;
  /** Runs a command that applies to the run. */
  obey?(prompt: TypedPrompt): Promise<unknown>;
};

/** Lets the runs of a conversation take prompts from its queue. */
export function steeringFrom({ waiting, expand, history, obey }: SteeringDeps): Steering {
  const nextPrompts = async (): Promise<WaitingPrompts | null> => {
    for (;;) {
      const found = waiting();
      const [first] = found?.prompts ?? [];
      if (!found || !first || !appliesDuringRun(first.text)) return found;
      if (!found.claim()) continue;
      void history.add(first.text);
      await obey?.(first);
    }
  };
  return async () => {
    const found = await nextPrompts();
    if (!found) return null;
    const { prompts, claim } = found;
    return {
      content: await expand(prompts.flatMap(contentOf)),
      claim() {
        const isClaimed = claim();
        if (isClaimed) for (const { text } of prompts) void history.add(text);
        return isClaimed;
      },
    };
  };
}

export function contentOf({
  text,
  images,
  context = [],
  sent,
}: Pick<TypedPrompt, 'text' | 'images' | 'context' | 'sent'>): UserMessage['content'] {
  return [{ ...asTyped(text), ...(sent && { sent }) }, ...images, ...context];
}

/** The prompt that a command made of what was typed. */
export function sentBy(content: UserMessage['content'], { sent }: TypedPrompt): UserMessage['content'] {
  const at = content.findLastIndex(({ type }) => type === 'text');
  return sent ? content.map((part, index) => (index === at ? { ...part, sent } : part)) : content;
}
