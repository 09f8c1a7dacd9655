import path from 'node:path';
import { topicOf } from '../../app/conversation/topic.ts';
import { nameOf } from '../../app/conversation-plan.ts';
import type { Opened } from '../../app/open-assistant.ts';
import { visible } from '../../lib/text/printable.ts';
import { modeText } from './components/status-bar.ts';
import { gitBranch } from './git-branch.ts';
import type { Screen } from './screen.ts';
import type { Status } from './view/types.ts';

export const unknownStatus: Status = {
  model: '',
  mode: 'default',
  sandboxed: true,
  context: null,
  costUsd: 0,
  cacheHit: null,
  branch: null,
  shells: 0,
  elapsedMs: null,
};

/** Shows the initial status of a conversation, and then its updates, until the returned function is called. */
export function showStatus(opened: Opened, screen: Screen, cwd: string): () => void {
  const { controller, choice, mode, notices, hints, spending } = opened;
  const { session } = controller;
  screen.setStatus({
    ...unknownStatus,
    custom: screen.store.view.status.custom ?? [],
    model: choice.model,
    mode: mode.get(),
    context: { tokens: 0, window: choice.info.contextWindow },
  });
  const facts = { model: nameOf(choice), mode: modeText(mode.get()) };
  screen.store.dispatch({ type: 'start', facts });
  for (const notice of [...notices, ...hints]) screen.print(visible(notice));
  const refresh = async () => {
    const [branch, sandbox, costs] = await Promise.all([gitBranch(cwd), opened.sandbox(), spending.costs()]);
    const models = costs.find(({ scope }) => scope === 'session')?.models ?? [];
    const costUsd = models.reduce<number | null>(
      (sum, { usd }) => (sum === null || usd === null ? null : sum + usd),
      0,
    );
    screen.setStatus({
      branch,
      sandboxed: sandbox.kind !== 'host',
      costUsd,
      shells: opened.shells(),
    });
  };
  const tell = () => void refresh().catch((error: Error) => controller.notice('warn', error.message));
  tell();
  const offMode = mode.onChange((changed) => screen.setStatus({ mode: changed }));
  const offEvents = controller.listen((event) => {
    screen.push(event);
    if (event.type === 'message' && event.message.role === 'user') showTopic(session, screen, cwd);
    if (event.type === 'tool_end') screen.setStatus({ shells: opened.shells() });
    if (event.type === 'end') tell();
  });
  return () => {
    offMode();
    offEvents();
  };
}

/** The terminal's title: what the conversation is about, or the folder until that is known. */
export function showTopic(
  session: Parameters<typeof topicOf>[0],
  { terminal }: Pick<Screen, 'terminal'>,
  cwd: string,
): void {
  const topic = topicOf(session);
  terminal.setTitle(topic === '' ? `aca · ${path.basename(cwd)}` : `${topic} · aca`);
}
