import { type AnyMessage, methods, type Stream } from '@agentclientprotocol/sdk';
import { isObject } from '../../../lib/text/json.ts';
import { extensionMethods } from '../../acp/extension-methods.ts';
import { type Identity, includesRole, maySee, type Role } from '../identity.ts';
import { ownerMethods } from '../owner-methods.ts';
import { serverMethods, serverNotifications } from '../server-methods.ts';

const { initialize, authenticate, session } = methods.agent;

/** The least role for each method. What is not listed is refused. */
const LEAST_ROLE: Readonly<Record<string, Role>> = {
  [initialize]: 'viewer',
  [authenticate]: 'viewer',
  [methods.protocol.cancelRequest]: 'viewer',
  [session.list]: 'viewer',
  [session.load]: 'viewer',
  [session.resume]: 'viewer',
  [serverMethods.attach]: 'viewer',
  [serverMethods.detach]: 'viewer',
  [serverMethods.overview]: 'viewer',
  [extensionMethods.listChanges]: 'viewer',
  [extensionMethods.originalText]: 'viewer',
  [session.prompt]: 'editor',
  [session.cancel]: 'editor',
  [session.setMode]: 'editor',
  [session.setConfigOption]: 'editor',
  [serverMethods.resumeRun]: 'editor',
  [serverNotifications.typing]: 'editor',
  [extensionMethods.revertChanges]: 'editor',
  [extensionMethods.acceptChanges]: 'editor',
  [extensionMethods.undo]: 'editor',
  [extensionMethods.redo]: 'editor',
  [extensionMethods.completeFile]: 'editor',
  [session.new]: 'owner',
  [serverMethods.open]: 'owner',
  [session.close]: 'owner',
  [session.delete]: 'owner',
  [serverMethods.openTerminal]: 'owner',
  [serverMethods.closeTerminal]: 'owner',
  [serverNotifications.terminalInput]: 'owner',
  [serverNotifications.terminalResize]: 'owner',
  ...Object.fromEntries(Object.values(ownerMethods).map((method) => [method, 'owner'] as const)),
};

/** Why a message is refused; null if it is not. */
function refusal(message: AnyMessage, who: Identity): string | null {
  if (!('method' in message)) return null;
  const { method, params } = message;
  const isKnown = typeof method === 'string' && Object.hasOwn(LEAST_ROLE, method);
  const least = isKnown ? LEAST_ROLE[method] : undefined;
  if (least === undefined) return `There is no method ${method}.`;
  if (!includesRole(who.role, least)) return `Your role is ${who.role}: ${method} needs ${least}.`;
  if (!isObject(params)) return null;
  const { sessionId, configId } = params;
  if (typeof sessionId === 'string' && !maySee(who, sessionId)) return 'You are not invited to this session.';
  if (who.role === 'owner') return null;
  if (method === session.setConfigOption && configId === 'sandbox')
    return 'Only the owner can change the sandbox.';
  return null;
}

/** Passes on only what this person may do, and only answers to what they were asked. */
export function guarded(
  { readable, writable }: Stream,
  who: Identity,
  refuse: (message: AnyMessage, why: string) => void,
): Stream {
  const asked = new Set<unknown>();
  const allowed = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      const isAnswer = !('method' in message);
      const why = isAnswer && !asked.delete(message.id) ? 'Nobody asked this.' : refusal(message, who);
      if (why === null) controller.enqueue(message);
      else refuse(message, why);
    },
  });
  const writer = writable.getWriter();
  const noted = new WritableStream<AnyMessage>({
    write(message) {
      if ('method' in message && 'id' in message) asked.add(message.id);
      return writer.write(message);
    },
    close: () => writer.close(),
    abort: (reason) => writer.abort(reason),
  });
  return { readable: readable.pipeThrough(allowed), writable: noted };
}
