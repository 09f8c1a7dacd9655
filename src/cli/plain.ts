import type { Choice } from '../assemble/choose-model.ts';
import { builtinCommands } from '../commands/index.ts';
import { describeSandbox } from '../commands/sandbox-words.ts';
import type { OpenSession } from '../session/store.ts';
import type { Options } from './args.ts';
import { Conversation } from './conversation.ts';
import { hold } from './hold.ts';
import { createModelDesk, plainModelCommand } from './model-desk.ts';
import {
  findModel,
  loadSettings,
  type Opened,
  openAssistant,
  type Settings,
  sessionStore,
  startServers,
} from './open.ts';
import { pickSession } from './pick-session.ts';
import { answerOnTerminal, askOnTerminal } from './plain-ask.ts';
import { PlainView } from './plain-view.ts';
import { tailOf } from './session-tail.ts';
import { startTelemetry } from './start-telemetry.ts';
import type { Terminal } from './terminal.ts';
import { offerTrust } from './trust-question.ts';
import { TypedPrompts } from './typed-prompts.ts';
import { tellUpdate } from './update/tell-update.ts';
import { visible } from './visible.ts';
import { setUp } from './welcome.ts';

/** The interactive face in plain lines: no repaint, works on any terminal. */
export async function runPlain(prompt: string, options: Options, terminal: Terminal): Promise<number> {
  let settings = loadSettings(options, terminal);
  const { root } = settings;
  const { cwd } = terminal;
  const news: string[] = [];
  const prompts = new TypedPrompts({ ...settings, cwd, warn: (text) => news.push(text) });
  const talk = new Conversation(terminal, { prompts: prompts.list() });
  let servers: Awaited<ReturnType<typeof startServers>>;
  let telemetry: Awaited<ReturnType<typeof startTelemetry>>;
  try {
    if (await offerTrust(settings, talk, { root, cwd })) settings = loadSettings(options, terminal);
    let choice = await findModel(settings, terminal);
    while (!choice) {
      const way = await setUp(settings, { terminal, talk });
      if (way === 'quit') return 0;
      settings = loadSettings({ ...options, ...way }, terminal);
      choice = await findModel(settings, terminal);
    }
    servers = await startServers(settings, terminal);
    telemetry = await startTelemetry(settings, options, terminal);
    await tellUpdate(settings, terminal, news);
    let chosen = await withSession(options, settings, { talk, cwd });
    const view = new PlainView({ color: settings.config.colorOutput, stream: settings.config.streamOutput });
    let first = prompt;
    let session: OpenSession | null = null;
    let wanted: string | null = null;
    const models = plainModelCommand(
      createModelDesk({
        terminal,
        settings: () => settings,
        model: () => (choice ? nameOf(choice) : ''),
        switchTo: (model) => {
          wanted = model;
        },
      }),
    );
    for (;;) {
      const opened: Opened = await openAssistant(choice, {
        settings,
        options: chosen,
        terminal,
        approver: askOnTerminal(talk),
        ask: answerOnTerminal(talk),
        ...(session && { session }),
        ...(servers && { servers }),
        telemetry,
      });
      talk.print(
        `ai-code-assistant · ${nameOf(choice)} · ${settings.config.mode} mode · /help lists commands`,
      );
      for (const notice of [...opened.notices, ...opened.hints]) talk.print(visible(notice));
      opened.controller.listen((event) => talk.write(view.render(event)));
      talk.print(`Commands: ${describeSandbox(await opened.sandbox())}`);
      const kept = opened.controller.session;
      if (kept.messages.length > 0) talk.print(tailOf(kept));
      const next = async () => {
        const text = wanted === null ? await talk.prompt() : null;
        return text === null ? null : { text, images: [] };
      };
      const commands = [...builtinCommands, models];
      session = await hold(first, opened, {
        talk,
        next,
        commands,
        prompts,
        root,
        cwd,
        env: terminal.env,
        news,
      });
      first = '';
      if (wanted !== null) {
        settings = loadSettings({ ...options, model: wanted, mode: opened.mode.get() }, terminal);
        wanted = null;
        choice = (await findModel(settings, terminal)) ?? choice;
        const isKept = kept.messages.length > 0 && settings.config.saveHistory;
        session = isKept ? await sessionStore(settings).resume(kept.id) : null;
        if (!session) chosen = withoutSession(chosen);
        continue;
      }
      if (kept.messages.length > 0) talk.print(`Go on later with: aca --resume ${kept.id.slice(0, 8)}`);
      if (!session) return 0;
    }
  } finally {
    talk.close();
    await servers?.close();
    await telemetry?.telemetry.close();
  }
}

function withoutSession({ resume: _resume, continue: _continue, fork: _fork, ...others }: Options): Options {
  return others;
}

function nameOf({ preset, model }: Choice): string {
  return `${preset.name}/${model}`;
}

/** `--resume` without a session: the user says which, or begins a new one. */
async function withSession(
  { resume, ...others }: Options,
  settings: Settings,
  { talk, cwd }: { talk: Conversation; cwd: string },
): Promise<Options> {
  const chosen = resume === true ? await pickSession(sessionStore(settings), talk, cwd) : resume;
  return chosen === undefined || chosen === null ? others : { ...others, resume: chosen };
}
