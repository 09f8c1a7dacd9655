import type { AgentApp } from '@agentclientprotocol/sdk';
import { z } from 'zod';
import { type ExtensionRequests, extensionMethods } from './extension-methods.ts';
import type { Sessions } from './sessions.ts';

type Method = keyof ExtensionRequests;
type Params<Name extends Method> = ExtensionRequests[Name]['params'];

const ofSession = { sessionId: z.string() };
const session = z.object(ofSession);
const chosen = z
  .object({ ...ofSession, path: z.string().optional(), hunks: z.array(z.string()).optional() })
  .refine(({ path, hunks }) => !hunks || path !== undefined, 'hunks need the path of their file');

const params: { [Name in Method]: z.ZodType<Params<Name>> } = {
  '_aca/changes/list': session,
  '_aca/changes/original': z.object({ ...ofSession, path: z.string() }),
  '_aca/changes/revert': chosen,
  '_aca/changes/accept': chosen,
  '_aca/undo': session,
  '_aca/redo': session,
  '_aca/files/complete': z.object({
    ...ofSession,
    query: z.string(),
    limit: z.number().int().min(1).max(1_000).optional(),
  }),
};

/** Answers what this agent offers beyond the protocol. */
export function withExtensions(app: AgentApp, all: () => Promise<Sessions>): AgentApp {
  const on = <Name extends Method>(
    method: Name,
    answer: (sessions: Sessions, params: Params<Name>) => Promise<ExtensionRequests[Name]['result']>,
  ) => {
    app.onRequest(method as string, params[method], async ({ params }) => answer(await all(), params));
  };
  const names = extensionMethods;
  on(names.listChanges, (sessions, { sessionId }) => sessions.changes(sessionId).list());
  on(names.originalText, (sessions, { sessionId, path }) => sessions.changes(sessionId).original(path));
  on(names.revertChanges, (sessions, { sessionId, ...some }) => sessions.changes(sessionId).revert(some));
  on(names.acceptChanges, (sessions, { sessionId, ...some }) => sessions.changes(sessionId).accept(some));
  on(names.undo, (sessions, { sessionId }) => sessions.changes(sessionId).undo());
  on(names.redo, (sessions, { sessionId }) => sessions.changes(sessionId).redo());
  on(names.completeFile, (sessions, request) => sessions.completeFile(request));
  return app;
}
