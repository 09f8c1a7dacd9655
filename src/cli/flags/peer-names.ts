/** Flags of other assistants with the same meaning here, and ours. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  '--yolo': ['--dangerously-skip-permissions'],
  '-y': ['--dangerously-skip-permissions'],
  '--yes-always': ['--dangerously-skip-permissions'],
  '--allow-all-tools': ['--dangerously-skip-permissions'],
  '--trust-all-tools': ['--dangerously-skip-permissions'],
  '--dangerously-bypass-approvals-and-sandbox': ['--dangerously-skip-permissions'],
  '--full-auto': ['--mode=auto'],
  '--ephemeral': ['--no-session-persistence'],
  '--restore-chat-history': ['--continue'],
  '--headless': ['--print'],
  '--non-interactive': ['--print'],
  '--no-interactive': ['--print'],
  // What they turn on, or off, is so here anyway.
  '--skip-git-repo-check': [],
  '--checkpointing': [],
  '--no-auto-commits': [],
  '--no-dirty-commits': [],
  '--cache-prompts': [],
};

/** Those with a value, which ours takes as it is. */
const SAME_WITH_VALUE: Readonly<Record<string, string>> = {
  '--cwd': '--cd',
  '--dir': '--cd',
  '--session': '--resume',
  '--include-directories': '--add-dir',
  '--output-schema': '--json-schema',
  '--reasoning-effort': '--effort',
  '--variant': '--effort',
};

/** Those whose value is the prompt, and the flags that ours needs for it. */
const PROMPTS: Readonly<Record<string, readonly string[]>> = {
  '--prompt': ['--print'],
  '--message': ['--print'],
  '--msg': ['--print'],
  '--prompt-interactive': [],
};

const APPROVAL_MODES: Readonly<Record<string, string>> = {
  default: 'default',
  auto_edit: 'accept-edits',
  yolo: 'auto',
  plan: 'plan',
};

/** All of them, for tests. */
export const acceptedPeerFlags = [SAME, SAME_WITH_VALUE, PROMPTS].flatMap(Object.keys);

/** The arguments with our flags in place of those that mean the same in other assistants. */
export function withOurFlags(args: readonly string[]): string[] {
  const ours: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    if (arg === '--') return [...ours, ...args.slice(i)];
    const [, flag = arg, attached] = /^(--[\w-]+)=(.*)$/s.exec(arg) ?? [];
    const value = () => attached ?? args[++i];
    if (Object.hasOwn(SAME, flag) && attached === undefined) ours.push(...(SAME[flag] ?? []));
    else if (Object.hasOwn(SAME_WITH_VALUE, flag)) {
      ours.push(SAME_WITH_VALUE[flag] ?? '', ...listOf(value()));
    } else if (Object.hasOwn(PROMPTS, flag)) {
      ours.push(...(PROMPTS[flag] ?? []), ...listOf(value()));
    } else if (flag === '--approval-mode') {
      const mode = value();
      ours.push('--mode', ...listOf(mode === undefined ? mode : (APPROVAL_MODES[mode] ?? mode)));
    } else ours.push(arg);
  }
  return ours;
}

function listOf(value: string | undefined): string[] {
  return value === undefined ? [] : [value];
}
