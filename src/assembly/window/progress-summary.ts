import { changedFiles } from '../../agent/changed-files.ts';
import { type AgentEvent, innermost } from '../../contract/event.ts';
import type { Todo } from '../../contract/tool.ts';

const SHOWN = 10;

/** What a run has done and what is left, for the message at a limit. */
export type ProgressSummary = { watch(event: AgentEvent): void; text(): string };

export function createProgressSummary(todos: () => readonly Todo[]): ProgressSummary {
  let files = new Set<string>();
  /** A command may have changed files that no event names. */
  let ranCommands = false;
  return {
    watch(wrapped) {
      const { event } = innermost(wrapped);
      if (event.type === 'run_start') {
        files = new Set();
        ranCommands = false;
      } else if (event.type === 'tool_end') for (const file of changedFiles(event)) files.add(file);
      else if (event.type === 'judged' && event.verdict === 'allow')
        ranCommands ||= event.accesses.some(({ kind }) => kind === 'execute');
    },
    text() {
      const open = todos().filter(({ status }) => status !== 'done');
      return [
        ...(files.size > 0 ? [`Changed in this run: ${listed([...files])}.`] : []),
        ...(files.size === 0 && !ranCommands ? ['No changes in this run.'] : []),
        ...(open.length === 0 ? [] : [`Remaining: ${listed(open.map(({ text }) => text))}.`]),
      ].join('\n');
    },
  };
}

function listed(names: readonly string[]): string {
  const rest = names.length - SHOWN;
  return [...names.slice(0, SHOWN), ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
}
