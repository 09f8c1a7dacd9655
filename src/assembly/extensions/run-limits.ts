import type { RunOptions } from '../../contract/command.ts';
import type { AgentEvent } from '../../contract/event.ts';
import { toolIn, toolNamed, usesOf } from '../../permissions/pattern/tool-names.ts';
import { ActiveRules, rulesNotice } from '../session/active-rules.ts';
import type { ExtensionLoader } from './load-extensions.ts';

/** What a command or skill changes for one run. */
export type RunLimits = {
  /** Of the skills and commands that the conversation itself uses. */
  rules: ActiveRules;
  beginRun(options: RunOptions): void;
  /** Ends what applies to a run. */
  watch(event: AgentEvent): void;
  /** Rules for the only calls that the run may make of some tools. */
  uses(): readonly string[];
  /** For a tool that the run may not use; otherwise null. */
  refusal(tool: string): { type: 'block'; by: string; because: string } | null;
};

export function createRunLimits(
  loader: Pick<ExtensionLoader, 'rulesOf'>,
  info: (text: string) => void,
): RunLimits {
  let limit: RunOptions = {};
  const rules = new ActiveRules();
  return {
    rules,
    beginRun(options) {
      limit = options;
      const used = options.command === undefined ? undefined : loader.rulesOf(options.command);
      rules.begin(used ? [used] : []);
      for (const text of used ? rulesNotice(used) : []) info(text);
    },
    watch(event) {
      if (event.type !== 'end') return;
      limit = {};
      rules.begin();
    },
    uses: () => usesOf(limit.tools ?? []),
    refusal(tool) {
      const { tools } = limit;
      if (!tools || tools.some((name) => isNamed(name, tool))) return null;
      return { type: 'block', by: 'command', because: `only ${tools.join(', ')} may be used for this` };
    },
  };
}

/** A tool name as in permission rules. */
function isNamed(written: string, tool: string): boolean {
  const name = toolNamed(toolIn(written));
  return [tool, `mcp:${tool}`, `mcp__${wireName(tool)}`].some(
    (one) => one.toLowerCase() === name.toLowerCase(),
  );
}

/** As models and other assistants write it. */
export function wireName(name: string): string {
  return name.replace(':', '__');
}
