import type { Opened } from '../../../app/open-assistant.ts';
import type { RunFacts } from '../../../app/run-facts/run-facts.ts';
import type { EndReason } from '../../../contract/event.ts';
import type { SentPrompt, TurnEnd } from '../prompt-turns.ts';

/** What happens in a session besides the events of its runs. */
export type SessionEvent =
  /** The conversation was opened again with other settings. */
  | { type: 'opened'; opened: Opened }
  | { type: 'prompted'; prompts: readonly SentPrompt[] }
  /** All prompts that no run has taken yet. */
  | { type: 'waiting'; prompts: readonly SentPrompt[] }
  /** A prompt was answered, or taken back. */
  | { type: 'settled'; prompt: SentPrompt }
  /** The last messages were removed from the conversation. */
  | { type: 'rewound' }
  | { type: 'run_ended'; facts: RunFacts; reason: EndReason }
  /** Text that is not from the model. */
  | { type: 'said'; text: string }
  /** No prompt is left to answer. */
  | { type: 'ended'; end: TurnEnd };
