import { TypedPrompts } from '../../app/conversation/prompt-history.ts';
import { loadSettings } from '../../app/settings.ts';
import type { Options } from '../shared/options.ts';
import { shutdownSignal } from '../shared/signals.ts';
import type { Terminal } from '../shared/terminal.ts';
import { leaveWithoutTerminal } from './leave-without-terminal.ts';
import type { HandedOver } from './terminal-conversation.ts';

/** Continues a session elsewhere; resolves with what to tell the user. */
export type HandOver = (session: HandedOver) => Promise<string>;

/**
 * The interactive frontend for terminals that can be repainted. Everything it needs is loaded here, only for
 * it.
 */
export async function runScreen(
  prompt: string,
  options: Options,
  terminal: Terminal,
  handOver?: HandOver,
): Promise<number> {
  const { cwd } = terminal;
  const settings = loadSettings(options, terminal);
  await terminal.early?.breathe();
  const news: string[] = [];
  const prompts = new TypedPrompts({ ...settings, cwd, warn: (text) => news.push(text) });
  const { ScreenConversation } = await import('./terminal-conversation.ts');
  const conversation = await ScreenConversation.open({
    options,
    settings,
    terminal,
    prompts,
    news,
    canHandOver: handOver !== undefined,
  });
  const { screen } = conversation;
  const leaving = shutdownSignal(terminal);
  leaving.addEventListener('abort', () => screen.quit());
  try {
    if (prompt !== '') screen.submit({ text: prompt, images: [] });
    await conversation.run(leaving);
  } finally {
    await screen.close();
    if (screen.isGone) leaveWithoutTerminal();
  }
  const { handedOver } = conversation;
  if (handedOver) terminal.stdout.write((await handOver?.(handedOver)) ?? '');
  return 0;
}
