import { type AnyMessage, methods, type Stream } from '@agentclientprotocol/sdk';
import { isObject } from '../../../lib/text/json.ts';
import type { AccessEntry } from '../../../observability/audit/access-log.ts';
import { extensionMethods } from '../../acp/extension-methods.ts';
import { type Identity, includesRole, maySee, type Role } from '../identity.ts';
import { ownerMethods } from '../owner-methods.ts';
import { serverMethods, serverNotifications } from '../server-methods.ts';

const { initialize, authenticate, session } = methods.agent;

/**
 * Who may call a method, and its event in the audit log. Null: it changes nothing and tells nothing of a session, happens with
 * every key, or is logged with what came of it. `detail` names the parameters that say what exactly is done.
 */
type Rule = { least: Role; event: string | null; detail?: readonly string[] };

const viewer = (event: string | null): Rule => ({ least: 'viewer', event });
const editor = (event: string | null, ...detail: string[]): Rule => ({ least: 'editor', event, detail });
const owner = (event: string | null, ...detail: string[]): Rule => ({ least: 'owner', event, detail });

/** What is not listed is refused. */
const RULES: Readonly<Record<string, Rule>> = {
  [initialize]: viewer(null),
  [authenticate]: viewer(null),
  [methods.protocol.cancelRequest]: viewer(null),
  [session.list]: viewer(null),
  [session.load]: viewer('watched'),
  [session.resume]: viewer('watched'),
  [serverMethods.attach]: viewer('watched'),
  [serverMethods.detach]: viewer(null),
  [serverMethods.overview]: viewer(null),
  [extensionMethods.listChanges]: viewer(null),
  [extensionMethods.originalText]: viewer(null),
  [session.prompt]: editor(null),
  [session.cancel]: editor('cancelled'),
  [session.setMode]: editor('mode', 'modeId'),
  [session.setConfigOption]: editor('option', 'configId', 'value'),
  [serverMethods.resumeRun]: editor('continued'),
  [serverNotifications.typing]: editor(null),
  [extensionMethods.revertChanges]: editor('reverted', 'path', 'hunks'),
  [extensionMethods.acceptChanges]: editor('accepted', 'path', 'hunks'),
  [extensionMethods.undo]: editor('undone'),
  [extensionMethods.redo]: editor('redone'),
  [extensionMethods.completeFile]: editor(null),
  [session.new]: owner(null),
  [serverMethods.open]: owner('opened'),
  [session.close]: owner('closed'),
  [session.delete]: owner('deleted'),
  [serverMethods.openTerminal]: viewer('terminal opened'),
  [serverMethods.closeTerminal]: viewer(null),
  [serverNotifications.terminalInput]: viewer(null),
  [serverNotifications.terminalResize]: viewer(null),
  [serverNotifications.terminalAudio]: owner(null),
  ...Object.fromEntries(Object.values(ownerMethods).map((method) => [method, owner(null)] as const)),
  [ownerMethods.changeSetting]: owner('setting', 'key', 'value'),
};

function ruleFor(method: unknown): Rule | undefined {
  return typeof method === 'string' && Object.hasOwn(RULES, method) ? RULES[method] : undefined;
}

/** Why a message is refused; null if it is not. */
function refusal(message: AnyMessage, who: Identity): string | null {
  if (!('method' in message)) return null;
  const { method, params } = message;
  const rule = ruleFor(method);
  if (!rule) return `There is no method ${method}.`;
  const { least } = rule;
  if (!includesRole(who.role, least)) return `Your role is ${who.role}: ${method} needs ${least}.`;
  if (!isObject(params)) return null;
  const { sessionId, configId } = params;
  if (typeof sessionId === 'string' && !maySee(who, sessionId)) return 'You are not invited to this session.';
  if (who.role === 'owner') return null;
  if (method === session.setConfigOption && configId === 'sandbox')
    return 'Only the owner can change the sandbox.';
  return null;
}

/** What is done with a message that is passed on. */
function logged(message: AnyMessage, audit: Guarding['audit']): void {
  const rule = 'method' in message ? ruleFor(message.method) : undefined;
  if (!rule || rule.event === null || !('params' in message)) return;
  const params = isObject(message.params) ? message.params : {};
  const detail = (rule.detail ?? []).flatMap((name) => params[name] ?? []).join(' ');
  const { sessionId } = params;
  audit(rule.event, {
    ...(typeof sessionId === 'string' && { session: sessionId }),
    ...(detail !== '' && { detail }),
  });
}

/** A guest may ask this much at once, and then this much per second. */
const BURST = 500;
const PER_SECOND = 50;
/** What is read from the disk. */
const HEAVY: readonly string[] = [
  session.load,
  session.resume,
  session.list,
  serverMethods.attach,
  serverMethods.openTerminal,
];

function costOf(message: AnyMessage): number {
  if (!('method' in message)) return 1;
  // A terminal answers every time that it is painted.
  if (message.method === serverNotifications.terminalInput) return 0.2;
  return HEAVY.includes(message.method) ? 25 : 1;
}

/** Whether so much may be asked now. */
function allowance(): (cost: number) => boolean {
  let left = BURST;
  let at = performance.now();
  return (cost) => {
    const now = performance.now();
    left = Math.min(BURST, left + ((now - at) / 1_000) * PER_SECOND);
    at = now;
    if (left < cost) return false;
    left -= cost;
    return true;
  };
}

type Guarding = {
  refuse(message: AnyMessage, why: string): void;
  audit(event: string, about: Pick<AccessEntry, 'session' | 'detail'>): void;
  /** Nothing is passed on from then on. */
  onTooMany(): void;
};

/** Passes on only what this person may do, and only answers to what they were asked. */
export function guarded(
  { readable, writable }: Stream,
  who: Identity,
  { refuse, audit, onTooMany }: Guarding,
): Stream {
  const asked = new Set<unknown>();
  const takes = who.role === 'owner' ? () => true : allowance();
  let isOver = false;
  const allowed = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if (isOver) return;
      if (!takes(costOf(message))) {
        isOver = true;
        audit('refused', { detail: 'too many requests' });
        return onTooMany();
      }
      const isAnswer = !('method' in message);
      const why = isAnswer && !asked.delete(message.id) ? 'Nobody asked this.' : refusal(message, who);
      if (why !== null) return refuse(message, why);
      logged(message, audit);
      controller.enqueue(message);
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
