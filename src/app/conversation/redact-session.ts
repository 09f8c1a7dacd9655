import { homedir } from 'node:os';
import { machineFirewall } from '../../assembly/safety/machine-firewall.ts';
import type { Message } from '../../contract/message.ts';
import type { Session } from '../../contract/session.ts';
import type { Firewall } from '../../firewall/firewall.ts';
import { createGuard } from '../../sandbox/guard.ts';
import type { Host } from '../host.ts';
import { keyVariables } from '../opening/find-model.ts';
import type { Settings } from '../settings.ts';

/**
 * A session that is safe to share: secrets are replaced by placeholders, including those detected only later.
 */
export function redactedSession(session: Session, place: { settings: Settings; host: Host }): Session {
  const { firewall } = sessionFirewall(session.workingDirectory, place);
  redacted(session, firewall);
  // A secret detected in one message is hidden in all of them.
  firewall.learn('');
  return redacted(session, firewall);
}

/** Knows the secrets that a session in this folder may contain, and the files that may never be read. */
export function sessionFirewall(
  workingDirectory: string,
  { settings, host }: { settings: Settings; host: Host },
): { firewall: Firewall; isClosed(file: string): boolean } {
  const { config, root } = settings;
  const { env, cwd } = host;
  const guard = createGuard({ ...config, cwd: workingDirectory, closedDirectories: [root], home: homedir() });
  const isClosed = (file: string) => guard.closedBecause(file, 'read') !== null;
  const firewall = machineFirewall({
    config,
    env,
    dataRoot: root,
    keyVariables: keyVariables(config),
    folders: [...new Set([workingDirectory, cwd, ...config.additionalDirectories])],
    isClosed,
  });
  return { firewall, isClosed };
}

export function redacted(
  { messages, subagents, ...rest }: Session,
  firewall: Pick<Firewall, 'hide'>,
): Session {
  return {
    ...firewall.hide(rest),
    messages: messages.map((message) => redactedMessage(message, firewall)),
    ...(subagents && { subagents: subagents.map((one) => redacted(one, firewall)) }),
  };
}

function redactedMessage(message: Message, firewall: Pick<Firewall, 'hide'>): Message {
  const content = message.content.map((part) => {
    if (part.type === 'image') return part;
    const shown = firewall.hide(part);
    // A signature is valid only for the exact text it was made for.
    if (shown === part || !('signature' in shown)) return shown;
    const { signature: _, ...unsigned } = shown;
    return unsigned;
  });
  const { content: _, ...rest } = message;
  // The cast is safe: hiding does not change part types.
  return { ...firewall.hide(rest), content } as Message;
}
