import { homedir } from 'node:os';
import { assemble } from '../assembly/assemble.ts';
import type { Assistant } from '../assembly/assistant.ts';
import { agentsOf } from '../assembly/extensions/plugin-bundles.ts';
import type { StartedServers } from '../assembly/extensions/start-servers.ts';
import type { Choice } from '../assembly/models/choose-model.ts';
import type { Parts } from '../assembly/parts.ts';
import { readAgents } from '../config/agents.ts';
import { fenceOf, sessionEnvironment } from '../config/environment.ts';
import { userExtensionFiles } from '../config/extension-files.ts';
import type { Config } from '../config/schema/schema.ts';
import { projectRoot, trustFolder } from '../config/trust.ts';
import type { EditorBuffers } from '../contract/editor-buffers.ts';
import type { AgentEvent } from '../contract/event.ts';
import type { Approver, Permission } from '../contract/permission.ts';
import type { Provider } from '../contract/provider.ts';
import type { SessionSettings } from '../contract/session.ts';
import type { ReviewPlan, ToolContext } from '../contract/tool.ts';
import { inTurn, once } from '../lib/async/closing.ts';
import { EventChannel } from '../lib/async/event-channel.ts';
import { isInside } from '../lib/paths/inside.ts';
import { visible } from '../lib/text/printable.ts';
import type { Watcher } from '../observability/watcher.ts';
import { lostRecords } from '../session/lost-records.ts';
import type { OpenSession, SessionStore } from '../session/store.ts';
import { PendingApprovals } from './conversation/pending-approvals.ts';
import { reviewByAsking } from './conversation/review-by-asking.ts';
import type { Host } from './host.ts';
import { openSession } from './opening/choose-session.ts';
import { connectTo } from './opening/connect-model.ts';
import { hiddenVariables, keyVariables } from './opening/find-model.ts';
import { anotherModel, otherModel } from './opening/other-models.ts';
import { promptChanges } from './opening/prompt-flags.ts';
import { findSearch } from './opening/search-backend.ts';
import { recordSession, type SessionRecord } from './opening/session-record.ts';
import { openSharedBudget } from './opening/shared-budget.ts';
import { startServers } from './opening/start-servers.ts';
import { type StartedTelemetry, startTelemetry } from './opening/start-telemetry.ts';
import { userNetwork, webRoute } from './opening/user-network.ts';
import type { SessionOptions } from './options.ts';
import { denyRuleCheck, type Settings, sessionStore } from './settings.ts';

export type Opened = Assistant & {
  choice: Choice;
  config: Config;
  settings: Settings;
  notices: string[];
  opened: OpenSession;
  store: SessionStore;
  record: SessionRecord;
  approvals: PendingApprovals;
};

type OpenOptions = {
  settings: Settings;
  options: Partial<SessionOptions>;
  host: Host;
  /** Already open; without it the options select one. */
  session?: OpenSession;
  /** Owned and stopped by the caller; without them the assistant starts and stops its own. */
  servers?: StartedServers;
  /** Same ownership as `servers`. */
  telemetry?: StartedTelemetry | undefined;
  /** Answers instead of the chosen model's server. */
  provider?: Provider;
  /** The open files of the editor that the session runs in. */
  buffers?: EditorBuffers;
  /** Tools and instructions of a program that embeds the assistant. */
  additions?: Parts['host'];
  /**
   * Shows approval requests to the user; they can also be answered by their id. Without it they are
   * refused.
   */
  approver?: Approver;
  ask?: ToolContext['ask'];
  /** Absent: plans are reviewed with `ask`. */
  reviewPlan?: ReviewPlan;
  instead?: Parts['instead'];
};

/** Assembles everything for one conversation. */
export async function openAssistant(choice: Choice, open: OpenOptions): Promise<Opened> {
  const { settings, options, host, session, servers, telemetry, additions, approver, ask } = open;
  const { config, root } = settings;
  const { env, cwd } = host;
  const { http, fetch } = await userNetwork(config, env);
  const store = sessionStore(settings);
  const events = new EventChannel<AgentEvent>();
  const warn = (text: string) => events.emit({ type: 'notice', level: 'warn', text });
  const models = connectTo({ settings, host, http, notice: warn });
  const [provider, opened, shared] = await Promise.all([
    open.provider ?? models.reach(choice),
    session ??
      openSession(options, {
        store,
        cwd,
        settings: sessionSettings(choice, config),
        fence: fenceOf(env),
      }),
    openSharedBudget(env),
  ]);
  const own = servers ? undefined : await startServers(settings, host);
  const createTools = (servers ?? own)?.createTools;
  const { userFiles, agents, troubles } = findAgents(settings, host);
  const record = recordSession(settings, opened.session, warn);
  const measured = telemetry ?? (await startTelemetry(settings, options, host));
  const watchers: Watcher[] = [record.watch, ...(measured ? [measured.telemetry.join({ warn })] : [])];
  const approvals = new PendingApprovals();
  if (approver) approvals.askThrough(approver);
  const assistant = assemble({
    config,
    env: sessionEnvironment(env, config),
    cwd,
    dataRoot: root,
    ...trustIn(settings, open),
    choice,
    provider,
    // A given provider answers everything: it may stand for a model that cannot be reached.
    ...(!open.provider && {
      openModel: async (name: string) => {
        const other = await anotherModel(name, choice, { settings, host });
        return { choice: other, provider: await models.reach(other) };
      },
    }),
    otherModel: (error) => otherModel(error, choice, { config, root, env }),
    keyVariables: keyVariables(config),
    hiddenVariables: hiddenVariables(config, env),
    credentials: models.credentials,
    ...(shared && { shared }),
    opened,
    fetch,
    web: await webRoute(config, env),
    webSearch: await findSearch(settings, host, choice),
    ...(createTools && { servers: createTools }),
    ...(additions && { host: additions }),
    ...(open.buffers && { buffers: open.buffers }),
    ...(open.instead && { instead: open.instead }),
    ...(options.effort !== undefined && { effort: options.effort }),
    prompt: promptChanges(options, cwd),
    ...(options.tools && { tools: options.tools }),
    agents,
    userFiles,
    bundles: settings.bundles,
    projectFiles: settings.extensions,
    watch(event, about) {
      for (const watcher of watchers) watcher(event, about);
    },
    events,
    ...(approver && { approver: approvals.approver }),
    ...(ask && { ask, reviewPlan: open.reviewPlan ?? reviewByAsking(ask) }),
  });
  const found = findingsIn(opened);
  // The rest of a long session is loaded later.
  void opened.ready.then(() => {
    for (const text of findingsIn(opened)) if (!found.includes(text)) warn(text);
  });
  const notices = [...settings.notices, ...(measured?.notices.splice(0) ?? []), ...troubles, ...found];
  const close = once(() =>
    inTurn(
      () => assistant.close(),
      () => models.close(),
      () => shared?.close(),
      () => record.close(),
      () => own?.close(),
      () => (measured === telemetry ? undefined : measured?.telemetry.close()),
    ),
  );
  return { ...assistant, choice, config, settings, notices, opened, store, record, approvals, close };
}

/** For a user who can answer. A home folder, or a folder around it, is no project. */
function trustIn(
  { root, trusted, trustable }: Settings,
  { approver, host: { cwd }, provider }: OpenOptions,
): Pick<Parts, 'trusted' | 'trust'> {
  if (!approver || provider || trustable === null || isInside(projectRoot(cwd), homedir()))
    return { trusted };
  return { trusted, trust: async () => void (await trustFolder(root, cwd, trustable)) };
}

/** The user's files with extensions, and the subagents in them, in the project and in plugins. */
function findAgents({ config, root, extensions, bundles }: Settings, { env, cwd }: Host) {
  const { otherAssistants } = config;
  const userFiles = userExtensionFiles({ dataRoot: root, env, otherAssistants });
  const files = [...userFiles, ...extensions];
  const { agents, notices } = readAgents(files, denyRuleCheck(config, cwd), agentsOf(bundles));
  return { userFiles, agents, troubles: notices };
}

/** Notices about the session file for a user who resumes it. */
function findingsIn({ damaged, foreign, session }: OpenSession): string[] {
  const patterns = (grants: readonly Permission[]) =>
    [...new Set(grants.map(({ pattern }) => visible(pattern)))].join(', ');
  const granted = session.permissions.filter(({ action }) => action === 'allow');
  return [
    ...(damaged.length === 0
      ? []
      : [
          `This session's file was damaged. Lost: ${lostRecords(damaged).join(', ')}. The damaged lines are saved in ${session.id}.damaged.txt next to the session.`,
        ]),
    ...(granted.length === 0
      ? []
      : [`Still allowed in this session: ${patterns(granted)}. Revoke with /permissions.`]),
    ...(foreign.length === 0
      ? []
      : [`Ignored permissions that this program did not save: ${patterns(foreign)}.`]),
  ];
}

function sessionSettings(
  { preset, model }: Choice,
  { maxTokens, temperature, mode }: Config,
): SessionSettings {
  return {
    model: `${preset.name}/${model}`,
    mode,
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature }),
  };
}
