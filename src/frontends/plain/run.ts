import { createAccountList } from '../../app/conversation/account-list.ts';
import { confirmByLetter, runConversation } from '../../app/conversation/conversation.ts';
import { lastExchange } from '../../app/conversation/last-exchange.ts';
import { createModelList } from '../../app/conversation/model-list.ts';
import { TypedPrompts } from '../../app/conversation/prompt-history.ts';
import { offerTrust, TRUST_HINT } from '../../app/conversation/trust-question.ts';
import {
  changePlan,
  nameOf,
  type Plan,
  type PlanChange,
  withAccountName,
} from '../../app/conversation-plan.ts';
import { offerImport } from '../../app/import/import-question.ts';
import { openAssistant } from '../../app/open-assistant.ts';
import { confirmFolder } from '../../app/opening/choose-session.ts';
import { findModel } from '../../app/opening/find-model.ts';
import { startServers } from '../../app/opening/start-servers.ts';
import { startTelemetry } from '../../app/opening/start-telemetry.ts';
import { footerParts } from '../../app/run-facts/footer.ts';
import { loadSettings, type Settings, sessionStore } from '../../app/settings.ts';
import { announceUpdate } from '../../app/update/announce-update.ts';
import { describeSandbox } from '../../commands/format/sandbox.ts';
import { builtinCommands } from '../../commands/index.ts';
import { visible } from '../../lib/text/printable.ts';
import { accountCommand } from '../shared/account-command.ts';
import { interruptibleWait } from '../shared/interruptible-wait.ts';
import type { Options } from '../shared/options.ts';
import { shutdownSignal } from '../shared/signals.ts';
import type { Terminal } from '../shared/terminal.ts';
import { answerOnTerminal, askOnTerminal } from './ask.ts';
import { setUp } from './first-run.ts';
import { Conversation } from './line-terminal.ts';
import { signs, words } from './marks.ts';
import { modelCommand } from './model-command.ts';
import { pickSession } from './pick-session.ts';
import { PlainView } from './plain-view.ts';

/** Shared by all conversations of the process. */
type Stage = {
  terminal: Terminal;
  talk: Conversation;
  view: PlainView;
  prompts: TypedPrompts;
  /** Messages that arrived between two prompts. */
  news: string[];
  servers: Awaited<ReturnType<typeof startServers>>;
  telemetry: Awaited<ReturnType<typeof startTelemetry>>;
  leaving: AbortSignal;
};

/** The interactive frontend in plain lines: no repainting, works on any terminal. */
export async function runPlain(prompt: string, options: Options, terminal: Terminal): Promise<number> {
  const news: string[] = [];
  const before = loadSettings(options, terminal);
  const prompts = new TypedPrompts({ ...before, cwd: terminal.cwd, warn: (text) => news.push(text) });
  const talk = new Conversation(terminal, { prompts: prompts.list() });
  const leaving = shutdownSignal(terminal);
  leaving.addEventListener('abort', () => talk.quit());
  let servers: Stage['servers'];
  let telemetry: Stage['telemetry'];
  try {
    let plan = await firstPlan(options, { terminal, talk });
    if (!plan) return 0;
    const { settings } = plan;
    const { colorOutput: color, streamOutput: stream } = settings.config;
    servers = await startServers(settings, terminal);
    telemetry = await startTelemetry(settings, options, terminal);
    await announceUpdate(settings, terminal, news);
    const marks = options.screenReader ? words : signs;
    const view = new PlainView({ color, stream, columns: () => talk.columns, marks });
    const stage = { terminal, talk, view, prompts, news, servers, telemetry, leaving };
    for (let first = prompt; plan; first = '') plan = await converse(first, plan, stage);
    return 0;
  } finally {
    talk.close();
    await servers?.close();
    await telemetry?.telemetry.close();
  }
}

/** What to start with, once trust, model and session are settled; null when the user quit. */
async function firstPlan(
  options: Options,
  { terminal, talk }: Pick<Stage, 'terminal' | 'talk'>,
): Promise<Plan | null> {
  const { cwd } = terminal;
  let settings = loadSettings(options, terminal);
  if (await offerTrust(settings, talk, { root: settings.root, cwd }))
    settings = loadSettings(options, terminal);
  if (await offerImport(settings, talk)) settings = loadSettings(options, terminal);
  for (;;) {
    const choice = await findModel(settings, terminal, interruptibleWait(talk));
    if (choice) {
      const agreed = await withSession(options, settings, { talk, cwd });
      return agreed && { settings, choice, options: agreed };
    }
    const way = await setUp(settings, { terminal, talk });
    if (way === 'quit') return null;
    settings = loadSettings({ ...options, ...way }, terminal);
  }
}

/** Runs one session with one model. Resolves with what to continue with, or null at the end. */
async function converse(first: string, plan: Plan, stage: Stage): Promise<Plan | null> {
  const { settings, choice, options, session } = plan;
  const { terminal, talk, view, prompts, news, servers, telemetry, leaving } = stage;
  const wanted: { change?: PlanChange } = {};
  const models = createModelList({
    host: terminal,
    settings: () => settings,
    model: () => nameOf(choice),
    switchTo: (model) => {
      wanted.change = { model };
    },
  });
  const accounts = createAccountList({
    host: terminal,
    settings: () => settings,
    model: () => nameOf(choice),
    switchAccount: (account) => {
      wanted.change = { account };
    },
  });
  const opened = await openAssistant(choice, {
    settings,
    options,
    host: terminal,
    approver: askOnTerminal(talk),
    ask: answerOnTerminal(talk),
    ...(session && { session }),
    ...(servers && { servers }),
    telemetry,
  });
  talk.print(
    `ai-code-assistant · ${withAccountName(choice)} · ${settings.config.mode} mode · /help for commands`,
  );
  for (const notice of [...opened.notices, ...opened.hints]) talk.print(visible(notice));
  opened.controller.listen((event) => talk.write(view.render(event)));
  const sandbox = await opened.sandbox();
  talk.print(`Commands run ${describeSandbox(sandbox)}`);
  if (opened.permissions.trust() !== null && sandbox.kind !== 'host') talk.print(TRUST_HINT);
  const kept = opened.controller.session;
  if (kept.messages.length > 0) talk.print(lastExchange(kept));
  const next = await runConversation(first, opened, {
    talk,
    next: async () => {
      const text = wanted.change ? null : await talk.prompt();
      return text === null ? null : { text, images: [] };
    },
    commands: [...builtinCommands, modelCommand(models), accountCommand(accounts)],
    prompts,
    root: settings.root,
    host: terminal,
    news,
    leaving,
    reopenWith: (folder) => {
      wanted.change = { folder };
    },
    onRunEnd: (facts, reason) => talk.write(view.footer(footerParts(facts, reason, { words: true }))),
  });
  if (next) return { ...plan, session: next };
  if (wanted.change) return changePlan(wanted.change, { plan, opened }, terminal);
  if (kept.messages.length > 0) talk.print(`Resume with: aca --resume ${kept.id.slice(0, 8)}`);
  return null;
}

/**
 * `--resume` without a session: the user selects one, or starts a new one. Null when its folder is declined.
 */
async function withSession(
  { resume, ...others }: Options,
  settings: Settings,
  { talk, cwd }: { talk: Conversation; cwd: string },
): Promise<Options | null> {
  const store = sessionStore(settings);
  const chosen = resume === true ? await pickSession(store, talk, cwd) : resume;
  if (chosen === undefined || chosen === null) return others;
  const confirm = (question: string) => confirmByLetter(talk)(question);
  const print = (text: string) => talk.print(text);
  return confirmFolder({ ...others, resume: chosen }, { store, cwd, confirm, print });
}
