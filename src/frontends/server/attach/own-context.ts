import { commandContext } from '../../../app/conversation/command-context.ts';
import { redacted } from '../../../app/conversation/redact-session.ts';
import { createSessionActions } from '../../../app/conversation/session-actions.ts';
import type { Host } from '../../../app/host.ts';
import type { CommandContext } from '../../../contract/command.ts';
import type { OwnTalk } from '../../terminal/attached-screen.ts';
import type { HostedSession } from '../sessions/hosted-session.ts';
import type { HostedSessions } from '../sessions/hosted-sessions.ts';

type OwnDeps = {
  hosted: HostedSession;
  all: HostedSessions;
  host: Host;
  prompts(): readonly string[];
  /** Shows another session in this terminal. */
  moveTo(id: string): void;
};

/**
 * For the commands of one terminal. Those that continue in another session take only this terminal there; the session
 * and its other participants stay as they are.
 */
export function ownContext({ hosted, all, host, prompts, moveTo }: OwnDeps, talk: OwnTalk): CommandContext {
  const { session, cwd } = hosted;
  const { opened } = session;
  const open = async (id: string) => {
    // What is wrong with it is shown here, before this session is left.
    await all.get(id);
    moveTo(id);
  };
  const sessions = createSessionActions({
    opened: opened.opened,
    store: opened.store,
    keeps: opened.config.saveHistory,
    cwd,
    redact: (whole) => redacted(whole, opened.privacy),
    confirm: talk.confirm,
    warn: talk.print,
    goOn: async (copy) => {
      await copy.close();
      await open(copy.session.id);
    },
    open,
  });
  return commandContext(opened, {
    ...talk,
    host,
    prompts,
    // The model is asked by everyone's prompts only.
    submit: async () => undefined,
    sessions: {
      ...sessions,
      begin: async () => open((await all.begin({ cwd, mcpServers: [] }, session.choices)).sessionId),
    },
  });
}
