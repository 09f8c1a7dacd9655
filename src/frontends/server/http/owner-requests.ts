import path from 'node:path';
import type { AgentApp } from '@agentclientprotocol/sdk';
import { z } from 'zod';
import { readAccesses } from '../../../observability/audit/access-log.ts';
import { readAudit } from '../../../observability/audit/read-audit.ts';
import { verifyAuditCalmly } from '../../../observability/audit/verify-audit.ts';
import { Ledger } from '../../../observability/spending/ledger.ts';
import { usageStats } from '../../../observability/usage-stats.ts';
import { explained } from '../../acp/sessions.ts';
import type { Identity } from '../identity.ts';
import {
  type AuditParams,
  type AuditResult,
  type NewInvitation,
  ownerMethods,
  type SettingChange,
  type SpendingResult,
} from '../owner-methods.ts';
import type { FleetReader } from './fleet.ts';
import { changeSetting, settingsIn } from './owner-settings.ts';
import type { RunningServer } from './types.ts';

const MOST_ENTRIES = 1_000;
const USUAL_ENTRIES = 100;
const LONGEST_MS = 90 * 24 * 60 * 60_000;

const newInvitation: z.ZodType<NewInvitation> = z.object({
  role: z.enum(['editor', 'viewer']),
  name: z.string().max(200).optional(),
  sessions: z.array(z.string().max(200)).min(1).max(100).optional(),
  expiresInMs: z.number().int().positive().max(LONGEST_MS).optional(),
});
const auditParams: z.ZodType<AuditParams> = z.object({
  session: z.string().optional(),
  tail: z.number().int().positive().max(MOST_ENTRIES).optional(),
});
const settingChange: z.ZodType<SettingChange> = z.object({
  key: z.string().max(100),
  value: z.string().max(1_000).nullable(),
});

export type OwnerDeps = {
  server: Pick<RunningServer, 'invitations' | 'signIns'>;
  root: string;
  fleet: Pick<FleetReader, 'read' | 'readBatch'>;
};

/** Answers what the owner asks. Whether the asker is the owner is decided before, by the roles of all methods. */
export function withOwnerRequests(
  app: AgentApp,
  who: Identity,
  { server, root, fleet }: OwnerDeps,
): AgentApp {
  const { invitations, signIns } = server;
  return app
    .onRequest(ownerMethods.createInvitation, newInvitation, ({ params }) => invitations.create(params, who))
    .onRequest(ownerMethods.listInvitations, z.unknown(), async () => ({
      invitations: await invitations.list(),
    }))
    .onRequest(ownerMethods.revokeInvitation, z.object({ id: z.string() }), async ({ params }) => ({
      revoked: await invitations.revoke(params.id, who),
    }))
    .onRequest(ownerMethods.listSignIns, z.unknown(), async () => ({ signIns: await signIns.list() }))
    .onRequest(ownerMethods.endSignIn, z.object({ id: z.string() }), async ({ params }) => ({
      ended: await signIns.end(params.id, who),
    }))
    .onRequest(ownerMethods.readAudit, auditParams, ({ params }) => auditIn(root, params))
    .onRequest(ownerMethods.spending, z.unknown(), () => spendingIn(root))
    .onRequest(ownerMethods.listBatches, z.unknown(), async () => (await batches()).batchesIn(root))
    .onRequest(ownerMethods.readBatch, z.object({ id: z.string() }), async ({ params }) =>
      (await batches()).batchIn(root, params.id),
    )
    .onRequest(ownerMethods.readFleet, z.unknown(), () => fleet.read())
    .onRequest(ownerMethods.readFleetBatch, z.object({ id: z.string() }), ({ params }) =>
      fleet.readBatch(params.id),
    )
    .onRequest(ownerMethods.readSettings, z.unknown(), () => explained(async () => settingsIn(root)))
    .onRequest(ownerMethods.changeSetting, settingChange, ({ params }) =>
      explained(() => changeSetting(root, params)),
    );
}

const batches = () => import('./batches.ts');

async function auditIn(root: string, { session, tail = USUAL_ENTRIES }: AuditParams): Promise<AuditResult> {
  const file = path.join(root, 'audit.jsonl');
  const query = { tail, ...(session !== undefined && { session }) };
  const calls = await readAudit(file, query);
  const { entries, broken } = await verifyAuditCalmly(file);
  return {
    verified: { entries, broken: broken && `${path.basename(broken.file)}: ${broken.because}` },
    accesses: (await readAccesses(file, query)).map(({ type: _, ...access }) => access),
    calls: calls.map(({ accesses, outcome, time, session: of, tool, verdict, by }) => ({
      ...{ time, session: of, tool, verdict, by },
      target: accesses.map(({ target }) => target).join(', '),
      success: outcome?.success ?? null,
    })),
  };
}

function spendingIn(root: string): SpendingResult {
  const { total, models, sessions } = usageStats(new Ledger(path.join(root, 'ledger')).since(new Date()));
  const { usd, unpriced, calls } = total;
  return {
    ...{ usd, unpriced, calls },
    models: models.map((one) => ({ name: one.name, usd: one.usd, unpriced: one.unpriced, calls: one.calls })),
    sessions: sessions.map((one) => ({
      id: one.name,
      usd: one.usd,
      unpriced: one.unpriced,
      calls: one.calls,
    })),
  };
}
