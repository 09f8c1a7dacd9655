import { TypedPrompts } from '../../app/conversation/prompt-history.ts';
import { demoIntro, withDemo } from '../../app/first-run/demo.ts';
import { demoTask } from '../../app/first-run/demo-model.ts';
import type { Options } from '../shared/options.ts';
import { shutdownSignal } from '../shared/signals.ts';
import type { Terminal } from '../shared/terminal.ts';
import { leaveWithoutTerminal } from './leave-without-terminal.ts';
import { ScreenConversation } from './terminal-conversation.ts';

const AFTERWARDS = [
  '',
  'That was the demo. You can look around here:',
  '  /changes  review the edit, revert it or comment on it',
  '  /undo     take back all of it',
  '  /help     list all commands',
  '  Ctrl+D    quit, and delete the temporary project',
  '',
  'For your own code, run aca in your project and connect a model:',
  '  aca keys set anthropic    a key from Anthropic, OpenAI, Google or others',
  '  ollama serve              a model on this machine; others are found, too',
].join('\n');

/** `--demo` on the screen: a scripted task, and then a prompt like any other. */
export async function runDemo(asked: Options, terminal: Terminal): Promise<number> {
  const isGone = await withDemo(terminal, async (demo) => {
    const place: Terminal = { ...terminal, ...demo.host };
    const news: string[] = [];
    const prompts = new TypedPrompts({ ...demo.settings, ...demo.host, warn: (text) => news.push(text) });
    const conversation = await ScreenConversation.open({
      options: { ...asked, ...demo.options },
      settings: demo.settings,
      terminal: place,
      prompts,
      news,
      script: { ...demo, afterwards: AFTERWARDS },
    });
    const { screen } = conversation;
    const leaving = shutdownSignal(terminal);
    leaving.addEventListener('abort', () => screen.quit());
    try {
      screen.print(demoIntro);
      screen.submit({ text: demoTask, images: [] });
      await conversation.run(leaving);
    } finally {
      await screen.close();
    }
    return screen.isGone;
  });
  if (isGone) leaveWithoutTerminal();
  return 0;
}
