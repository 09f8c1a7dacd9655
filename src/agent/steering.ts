import type { UserMessage } from '../contract/message.ts';

/** Prompts that the user sent during a run, as one message for its next request. */
type Steer = {
  content: UserMessage['content'];
  /** Takes them out of their queue. False if the user took one back in the meantime: nothing is sent then. */
  claim(): boolean;
};

/** Called when the calls of a turn are answered and the run continues. Null if no prompt is waiting. */
export type Steering = () => Promise<Steer | null>;
