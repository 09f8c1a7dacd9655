import type { Role } from './identity.ts';

/** What only the owner may ask the server. Names and types only, so that clients can use this file as it is. */
export const ownerMethods = {
  createInvitation: '_aca/invitations/create',
  listInvitations: '_aca/invitations/list',
  /** Cuts the connections of its guests at once. */
  revokeInvitation: '_aca/invitations/revoke',
  /** Browsers that are signed in. */
  listSignIns: '_aca/sign-ins/list',
  /** Signs one of them out, and cuts its connections at once. */
  endSignIn: '_aca/sign-ins/end',
  /** The end of the audit log. */
  readAudit: '_aca/audit/read',
  /** What all sessions spent today. */
  spending: '_aca/spending',
  /** Batches of tasks on this machine, newest first. */
  listBatches: '_aca/batches/list',
  /** One of them, with its tasks. */
  readBatch: '_aca/batches/read',
  /** The queue that many machines share, if the server knows one. */
  readFleet: '_aca/fleet/read',
  /** A batch in it, with its tasks. */
  readFleetBatch: '_aca/fleet/batch',
  /** The settings that may be changed from here. */
  readSettings: '_aca/settings/read',
  changeSetting: '_aca/settings/change',
} as const;

/** What is known of an invitation; its secret is only in the link. Times are ISO 8601. */
export type Invitation = {
  id: string;
  /** Null if guests choose their name. */
  name: string | null;
  role: Role;
  sessions: 'all' | readonly string[];
  createdAt: string;
  expiresAt: string;
  lastUsedAt: string | null;
};

/** A browser that is signed in. Times are ISO 8601. */
export type SignIn = {
  id: string;
  /** Who it belongs to. */
  name: string;
  role: Role;
  /** Such as `Firefox on Linux`. */
  browser: string;
  /** Null for one of an older version. */
  createdAt: string | null;
  expiresAt: string;
};

export type NewInvitation = {
  role: Exclude<Role, 'owner'>;
  name?: string | undefined;
  /** All sessions if absent. */
  sessions?: readonly string[] | undefined;
  /** A day if absent. */
  expiresInMs?: number | undefined;
};

export type CreatedInvitation = { invitation: Invitation; link: string };

/** `tail` is the maximum of each list, 100 if absent. */
export type AuditParams = { session?: string | undefined; tail?: number | undefined };

export type AuditResult = {
  /** Sign-ins, connections, prompts, approvals and refused requests, oldest first. */
  accesses: AuditedAccess[];
  /** Judged calls, oldest first. */
  calls: AuditedCall[];
  /** How many entries are as they were written, and the first that is not. */
  verified: { entries: number; broken: string | null };
};

export type AuditedAccess = {
  time: string;
  event: string;
  by?: { id: string; name: string; role: string };
  address?: string;
  session?: string;
  detail?: string;
};

export type AuditedCall = {
  time: string;
  session: string;
  tool: string;
  target: string;
  verdict: 'allow' | 'deny';
  /** What decided: a rule, a mode, a grant, the user. */
  by: string;
  success: boolean | null;
};

/** `unpriced` is the number of calls whose price is unknown. */
export type SpendingResult = {
  usd: number;
  unpriced: number;
  calls: number;
  models: { name: string; usd: number; unpriced: number; calls: number }[];
  sessions: { id: string; usd: number; unpriced: number; calls: number }[];
};

/** `file` is the owner's configuration file. */
export type SettingsResult = { file: string; settings: ChangeableSetting[] };

export type ChangeableSetting = {
  key: string;
  /** As forms show it. */
  name: string;
  description: string;
  /** Empty: any text. */
  choices: readonly string[];
  /** Null: not set in the file. */
  value: string | null;
  /** What applies while it is not set; null if that depends. */
  usual: string | null;
};

/** Null removes the setting from the file. */
export type SettingChange = { key: string; value: string | null };

/** Times are ISO 8601. */
export type BatchOverview = {
  id: string;
  createdAt: string;
  /** Where it was started. */
  cwd: string;
  /** Of the whole batch, such as `$10`. */
  budget?: string | undefined;
  isRunning: boolean;
  total: number;
  done: number;
  failed: number;
  /** Of the tasks with a known price. */
  costUsd: number;
  hasUnknownCost: boolean;
};

export type BatchesResult = { batches: BatchOverview[] };

/** `tasks` in the order of the batch. */
export type BatchResult = BatchOverview & { tasks: BatchTask[] };

/** `queue` is the address of the Redis server; null if none is configured. */
export type FleetResult = { queue: string | null; fleet: FleetOverview | null };

export type FleetOverview = {
  /** Tasks wait in one queue per set of labels. */
  queues: { labels: string[]; waiting: number; active: number; delayed: number }[];
  batches: FleetBatch[];
  workers: FleetWorker[];
  /** The dead-letter list. */
  givenUp: { batch: string; task: string; reason: string }[];
};

export type FleetBatch = {
  id: string;
  createdAt: string;
  ended: number;
  total: number;
  isCancelled: boolean;
};

/** `tasks` by name; their prompts and sessions are with the submitter and the workers. */
export type FleetBatchResult = { tasks: BatchTask[] };

export type FleetWorker = {
  id: string;
  labels: string[];
  concurrency: number;
  /** BATCH/TASK of each running task. */
  running: string[];
  startedAt: string;
  isDraining: boolean;
};

/** `interrupted`: it was started, and nobody works on it; the batch can be resumed. */
export type BatchTaskState = 'waiting' | 'running' | 'interrupted' | 'done' | 'failed';

export type BatchTask = {
  id: string;
  state: BatchTaskState;
  /** The first line; absent if the queue has it no longer. */
  prompt?: string | undefined;
  /** How often a worker of a queue has started it. */
  deliveries?: number | undefined;
  /** Why it failed. */
  reason?: string | undefined;
  /** Set once it was started. */
  session?: string | undefined;
  model?: string | undefined;
  /** Null if its price is unknown, or it has not ended. */
  costUsd: number | null;
  durationMs: number | null;
  filesChanged: number;
  branch?: string | undefined;
  /** The names of the checks that did not pass. */
  failedChecks: string[];
};
