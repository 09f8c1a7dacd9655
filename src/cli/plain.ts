import { dispatch } from '../commands/dispatch.ts';
import { builtinCommands } from '../commands/index.ts';
import type { CommandContext } from '../contract/command.ts';
import type { Approver } from '../contract/permission.ts';
import type { Options } from './args.ts';
import { Conversation } from './conversation.ts';
import { findModel, loadSettings, type Opened, openAssistant } from './open.ts';
import { answerOnTerminal } from './plain-ask.ts';
import { PlainView } from './plain-view.ts';
import { Reporter } from './report.ts';
import type { Terminal } from './terminal.ts';
import { visible } from './visible.ts';
import { setUp } from './welcome.ts';

/** The interactive face in plain lines: no repaint, works on any terminal. */
export async function runPlain(prompt: string, options: Options, terminal: Terminal): Promise<number> {
  const talk = new Conversation(terminal);
  try {
    let settings = loadSettings(options, terminal);
    let choice = await findModel(settings, terminal);
    while (!choice) {
      if ((await setUp(settings, { terminal, talk })) === 'quit') return 0;
      settings = loadSettings(options, terminal);
      choice = await findModel(settings, terminal);
    }
    const opened = await openAssistant(choice, {
      settings,
      options,
      terminal,
      approver: askOnTerminal(talk),
      ask: answerOnTerminal(talk),
    });
    const view = new PlainView({ color: settings.config.colorOutput, stream: settings.config.streamOutput });
    talk.print(
      `ai-code-assistant · ${choice.preset.name}/${choice.model} · ${settings.config.mode} mode · /help lists commands`,
    );
    for (const notice of opened.notices) talk.print(notice);
    opened.controller.listen((event) => talk.write(view.render(event)));
    return await hold(prompt, opened, talk);
  } finally {
    talk.close();
  }
}

/** Shows what will happen and waits for an explicit yes: only "y", in any case, approves. */
export function askOnTerminal(talk: Conversation): Approver {
  return async (request, signal) => {
    const answer = await talk.ask(`Allow: ${visible(request.operation)}? [y/n] `, signal);
    return answer?.trim().toLowerCase() === 'y' ? { choice: 'once' } : { choice: 'no' };
  };
}

async function hold(
  prompt: string,
  { controller, undo, close }: Opened,
  talk: Conversation,
): Promise<number> {
  const reporter = new Reporter();
  controller.listen((event) => reporter.take(event));
  talk.onInterrupt(() => {
    if (!controller.busy) return false;
    controller.interrupt();
    return true;
  });
  let quitting = false;
  const context: CommandContext = {
    commands: builtinCommands,
    print: (text) => talk.print(text),
    undo: () => undo.undo(),
    usage: () => ({ ...reporter.report.usage, costUsd: reporter.report.costUsd }),
    quit: () => {
      quitting = true;
    },
  };
  for (
    let line: string | null = prompt;
    line !== null && !quitting;
    line = quitting ? null : await talk.prompt()
  ) {
    if (line.trim() === '' || (await dispatch(line, context))) continue;
    await controller.submit([{ type: 'text', text: line }]);
  }
  await close();
  if (controller.session.messages.length > 0)
    talk.print(`Go on later with: aca --resume ${controller.session.id.slice(0, 8)}`);
  return 0;
}
