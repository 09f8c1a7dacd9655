import type { Opened } from '../../../app/open-assistant.ts';
import { version } from '../../../lib/version.ts';
import type { Terminal } from '../../shared/terminal.ts';
import type { Screen } from '../screen.ts';
import type { Status } from '../view/types.ts';
import { StatusCommand } from './status-command.ts';

/** Shows the output of the user's own status line command, if there is one. Call the result at the end. */
export async function showStatusCommand(
  opened: Opened,
  screen: Pick<Screen, 'store' | 'setStatus'>,
  { cwd, env }: Terminal,
): Promise<() => void> {
  const { statusLine: settings } = opened.config;
  if (!settings) return () => undefined;
  const { store } = screen;
  const { runUserCommand } = await import('../../../sandbox/shell/user-command.ts');
  const startedAt = Date.now();
  const command = new StatusCommand({
    settings,
    cwd,
    env,
    run: runUserCommand,
    state: async () => ({
      ...stateOf(opened, store.view.status, { cwd, startedAt }),
      transcript_path: await opened.transcript(),
    }),
    show: (custom) => screen.setStatus({ custom }),
    warn: (text) => opened.controller.notice('warn', text),
  });
  let last: Status | null = null;
  let known = '';
  const check = () => {
    const { status } = store.view;
    if (status === last) return;
    last = status;
    const now = JSON.stringify({ ...status, custom: [] });
    if (now === known) return;
    known = now;
    command.refresh();
  };
  const unsubscribe = store.subscribe(check);
  check();
  return () => {
    unsubscribe();
    command.close();
  };
}

type Place = { cwd: string; startedAt: number };

/** In the shape that status line commands of Claude Code read. */
function stateOf(opened: Opened, status: Status, { cwd, startedAt }: Place): object {
  const { controller, choice, styles } = opened;
  const { tokens = 0, window = choice.info.contextWindow } = status.context ?? {};
  const used = Math.round((tokens / window) * 100);
  return {
    hook_event_name: 'Status',
    session_id: controller.session.id,
    session_name: controller.session.title ?? null,
    cwd,
    workspace: { current_dir: cwd, project_dir: cwd },
    model: { id: choice.model, display_name: choice.model, provider: choice.preset.name },
    version,
    output_style: { name: styles.current() },
    permission_mode: status.mode,
    git_branch: status.branch,
    cost: { total_cost_usd: status.costUsd, total_duration_ms: Date.now() - startedAt },
    context_window: {
      context_window_size: window,
      total_input_tokens: tokens,
      used_percentage: used,
      remaining_percentage: 100 - used,
    },
    exceeds_200k_tokens: tokens > 200_000,
  };
}
