import { randomUUID } from 'node:crypto';
import type { AgentApp } from '@agentclientprotocol/sdk';
import { z } from 'zod';
import { UserError } from '../../../contract/errors.ts';
import { type Identity, includesRole } from '../identity.ts';
import {
  type EditedText,
  type OpenTerminalParams,
  type StartedRecording,
  serverMethods,
  serverNotifications,
  type TerminalAudio,
  type TerminalClosed,
  type TerminalData,
  type TerminalSize,
  type TerminalText,
  terminalActions,
} from '../server-methods.ts';
import type { Connected } from '../sessions/connection.ts';
import type { HostedSession } from '../sessions/hosted-session.ts';
import { type HostedSessions, notOpen } from '../sessions/hosted-sessions.ts';
import type { Attachment } from './attachment.ts';
import { RemoteMicrophone } from './remote-microphone.ts';

const MOST_CELLS = 10_000;
const cells = z.number().int().min(1).max(MOST_CELLS);
const openParams: z.ZodType<OpenTerminalParams> = z.object({
  sessionId: z.string(),
  columns: cells,
  rows: cells,
  env: z.record(z.string(), z.string()),
});
const ofTerminal = z.object({ terminalId: z.string() });
const inputParams: z.ZodType<TerminalData> = ofTerminal.extend({ data: z.string() });
const audioParams: z.ZodType<TerminalAudio> = ofTerminal.extend({
  data: z.string(),
  ended: z.string().optional(),
});
const resizeParams: z.ZodType<TerminalSize> = ofTerminal.extend({ columns: cells, rows: cells });

type TerminalDeps = { hosted: HostedSessions; env: NodeJS.ProcessEnv };

function ownerOnly(): UserError {
  return new UserError('Only the owner of the server can dictate in its sessions.', 'Type your prompt.');
}

/** Viewers cause nothing, so they open no session. */
async function openedFor(who: Identity, id: string, hosted: HostedSessions): Promise<HostedSession> {
  if (includesRole(who.role, 'editor')) return hosted.get(id);
  const found = hosted.find(id);
  if (!found) throw notOpen();
  return found;
}

/** The methods of attached terminals. They are closed with their connection. */
export function withTerminals(
  app: AgentApp,
  { who, isAllowed, context, onClose, audit }: Connected,
  deps: TerminalDeps,
): AgentApp {
  const { hosted, env } = deps;
  const open = new Map<string, Attachment>();
  const microphones = new Map<string, RemoteMicrophone>();
  onClose(() => {
    for (const attachment of open.values()) attachment.close();
  });
  const notify = (method: string, params: object) => context().notify(method, params);
  const start = async (params: OpenTerminalParams) => {
    const found = await openedFor(who, params.sessionId, hosted);
    const { Attachment } = await import('./attachment.ts');
    const terminalId = randomUUID();
    const close = (message: string, next: string | null = null) => {
      open.delete(terminalId);
      microphones.delete(terminalId);
      const closed: TerminalClosed = { terminalId, message, next };
      notify(serverNotifications.terminalClosed, closed).catch(() => undefined);
    };
    const { sessionId } = params;
    const microphone = new RemoteMicrophone({
      start: () => context().request<StartedRecording>(terminalActions.record, { terminalId }),
      end: async () => {
        await context().request(terminalActions.endRecording, { terminalId });
      },
    });
    const isOwner = includesRole(who.role, 'owner');
    const attachment = new Attachment({
      id: `terminal-${terminalId}`,
      who,
      hosted: found,
      all: hosted,
      params,
      env,
      send: (data) => notify(serverNotifications.terminalOutput, { terminalId, data }),
      actions: {
        edit: async (text) =>
          (await context().request<EditedText, TerminalText>(terminalActions.edit, { terminalId, text }))
            .text,
        suspend: async () => {
          // A client that is gone has no terminal to return to.
          await context()
            .request(terminalActions.suspend, { terminalId })
            .catch(() => undefined);
        },
        // Transcribing it may cost the owner money.
        record: isOwner ? microphone.open : () => Promise.reject(ownerOnly()),
      },
      isAllowed,
      audit: (event, detail) => audit(event, { session: sessionId, detail }),
      onClosed: close,
    });
    open.set(terminalId, attachment);
    microphones.set(terminalId, microphone);
    // After the answer, which tells the client the terminal's id.
    setImmediate(() => attachment.run().catch((error: Error) => close(error.message)));
    return { terminalId };
  };
  return app
    .onRequest(serverMethods.openTerminal, openParams, ({ params }) => start(params))
    .onRequest(serverMethods.closeTerminal, ofTerminal, ({ params: { terminalId } }) => {
      open.get(terminalId)?.close();
      return {};
    })
    .onNotification(serverNotifications.terminalInput, inputParams, ({ params }) => {
      open.get(params.terminalId)?.type(params.data);
    })
    .onNotification(serverNotifications.terminalAudio, audioParams, ({ params }) =>
      microphones.get(params.terminalId)?.receive(params),
    )
    .onNotification(serverNotifications.terminalResize, resizeParams, ({ params }) =>
      open.get(params.terminalId)?.resize(params),
    );
}
