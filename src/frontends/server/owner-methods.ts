import type { Role } from './identity.ts';

/** What only the owner may ask the server. Names and types only, so that clients can use this file as it is. */
export const ownerMethods = {
  createInvitation: '_aca/invitations/create',
  listInvitations: '_aca/invitations/list',
  /** Cuts the connections of its guests at once. */
  revokeInvitation: '_aca/invitations/revoke',
  /** The end of the audit log. */
  readAudit: '_aca/audit/read',
  /** What all sessions spent today. */
  spending: '_aca/spending',
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
