/** One place where the replay went differently. */
export type Difference = {
  kind: 'prompt' | 'call' | 'result' | 'conversation' | 'file';
  /** The run in which it was found, counted from 1; null if that is not known, as for the calls of a subagent. */
  run: number | null;
  /** What it concerns, for people: a call, a file. */
  about: string;
  /** Null if there was nothing. */
  expected: string | null;
  actual: string | null;
};

/** Where another model would have acted differently. */
type OtherAction = { turn: number; expected: string[]; actual: string[] };

export type ReplayReport = {
  session: string;
  /** Whether everything that was compared is the same. */
  same: boolean;
  /** Whether every call was run again. */
  complete: boolean;
  runs: number;
  /** Calls that were run again. */
  calls: number;
  /** Calls that were not run again, and why. */
  fromJournal: { call: string; because: string }[];
  /** What may differ between runs and was ignored: how many results needed it. */
  ignored: Record<string, number>;
  files: number;
  differences: Difference[];
  notes: string[];
  /** Of the other model, if one was asked. */
  comparison?: {
    model: string;
    turns: number;
    actions: OtherAction[];
    costUsd: number | null;
    /** Why not all turns were asked for. */
    stopped: string | null;
  };
};
