/** A flag that exists elsewhere and not here; `of` is empty if many programs have it. `use` says what to do instead. */
type PeerFlag = { flags: readonly string[]; of: readonly Peer[]; use: string };

type Peer = 'aider' | 'Claude Code' | 'Codex' | 'Gemini CLI' | 'opencode';

const FILES = 'Mention the file in the prompt: @path/to/file.';
const AUTO = 'Use --mode auto, with --allow for what may run outside the sandbox.';

export const peerFlags: readonly PeerFlag[] = [
  { flags: ['--yes'], of: ['aider'], use: AUTO },
  { flags: ['--ask-for-approval', '-a'], of: ['Codex'], use: 'Use --mode: default asks, auto does not.' },
  {
    flags: ['--sandbox', '-s'],
    of: ['Codex', 'Gemini CLI'],
    use: 'Commands run in the sandbox anyway. Use --mode read-only, or see the setting sandbox.',
  },
  { flags: ['--architect', '--chat-mode'], of: ['aider'], use: 'Use --mode plan to plan before editing.' },
  { flags: ['--json', '--experimental-json'], of: ['Codex'], use: 'Use --output-format stream-json.' },
  { flags: ['--format'], of: ['opencode'], use: 'Use --output-format json or stream-json.' },
  {
    flags: ['--output-last-message', '-o'],
    of: ['Codex'],
    use: 'Redirect standard output: aca -p "TASK" > FILE.',
  },
  { flags: ['--profile'], of: ['Codex'], use: 'Use --model and --mode, or set AI_ASSISTANT_HOME.' },
  { flags: ['--oss', '--local-provider'], of: ['Codex'], use: 'Use --model ollama/NAME.' },
  { flags: ['--search'], of: ['Codex'], use: 'Use the setting webSearch.' },
  {
    flags: ['-i'],
    of: ['Codex', 'Gemini CLI'],
    use: 'Use --image FILE, or pass the prompt as an argument.',
  },
  { flags: ['--config'], of: ['aider', 'Codex'], use: 'Use `aca config set KEY VALUE`.' },
  { flags: ['--message-file'], of: ['aider'], use: 'Use aca -p < FILE.' },
  {
    flags: ['--allowed-mcp-server-names'],
    of: ['Gemini CLI'],
    use: 'Use --strict-mcp-config with --mcp-config.',
  },
  { flags: ['--extensions', '-e'], of: ['Gemini CLI'], use: 'See /plugins and the setting plugins.' },
  { flags: ['--list-sessions', '--delete-session'], of: ['Gemini CLI'], use: 'Use `aca sessions`.' },
  { flags: ['--all-files', '--all_files'], of: ['Gemini CLI'], use: 'Mention a folder in the prompt: @src.' },
  { flags: ['--proxy'], of: ['Gemini CLI'], use: 'Set HTTPS_PROXY.' },
  { flags: ['--acp', '--experimental-acp'], of: ['Gemini CLI', 'opencode'], use: 'Use `aca acp`.' },
  { flags: ['--file', '--read', '-f'], of: ['aider', 'opencode'], use: FILES },
  {
    flags: ['--api-key', '--anthropic-api-key', '--openai-api-key'],
    of: ['aider'],
    use: 'Use `aca keys set PROVIDER`.',
  },
  {
    flags: ['--auto-commits', '--dirty-commits'],
    of: ['aider'],
    use: 'Leave it out: nothing is committed unless you ask, or use /commit.',
  },
  {
    flags: ['--auto-test', '--test-cmd', '--auto-lint', '--lint-cmd'],
    of: ['aider'],
    use: 'Name the command in the prompt or in AGENTS.md, or run it with a hook.',
  },
  { flags: ['--sonnet', '--opus', '--haiku', '--4o', '--deepseek'], of: ['aider'], use: 'Use --model.' },
  { flags: ['--weak-model'], of: ['aider'], use: 'Use the setting helperModel.' },
  { flags: ['--dark-mode', '--light-mode'], of: ['aider'], use: 'Use /theme.' },
  { flags: ['--command'], of: ['opencode'], use: 'Pass the command as the prompt: aca -p "/name".' },
  {
    flags: ['--print-logs', '--log-level', '--mcp-debug'],
    of: ['Claude Code', 'opencode'],
    use: 'Use --debug.',
  },
  { flags: ['--debug-file'], of: ['Claude Code'], use: 'Use --debug; `aca doctor` names the log.' },
  { flags: ['--title', '--name', '-n'], of: ['Claude Code', 'opencode'], use: 'Use /rename.' },
  {
    flags: ['--agent', '--agents'],
    of: ['Claude Code', 'opencode'],
    use: 'Define it in .claude/agents/NAME.md and name it in the prompt.',
  },
  { flags: ['--settings'], of: ['Claude Code'], use: 'Use flags, or `aca config set KEY VALUE`.' },
  {
    flags: ['--max-thinking-tokens', '--thinking', '--thinking-budget'],
    of: ['aider', 'Claude Code'],
    use: 'Use --effort.',
  },
  { flags: ['--betas'], of: ['Claude Code'], use: 'Leave it out.' },
  {
    flags: ['--ide', '--chrome', '--remote', '--teleport'],
    of: ['Claude Code'],
    use: 'It is not supported.',
  },
  { flags: ['-w'], of: ['Claude Code'], use: 'Use --worktree.' },
  { flags: ['--no-color', '--no-colors', '--no-pretty'], of: [], use: 'Set NO_COLOR=1.' },
  { flags: ['--color', '--colors'], of: [], use: 'Set FORCE_COLOR=1, or NO_COLOR=1 for none.' },
  { flags: ['--theme'], of: [], use: 'Use /theme, or `aca config set theme NAME`.' },
  { flags: ['--silent'], of: [], use: 'Use --quiet.' },
  { flags: ['--system'], of: [], use: 'Use --system-prompt or --append-system-prompt.' },
  { flags: ['--no-tools'], of: [], use: "Use --tools ''." },
  { flags: ['--stream', '--no-stream'], of: [], use: 'Use --output-format stream-json, json or text.' },
  { flags: ['--output', '--output-file'], of: [], use: 'Redirect standard output: aca -p "TASK" > FILE.' },
  { flags: ['--timeout'], of: [], use: 'Use --max-turns or --budget, or the command `timeout`.' },
  { flags: ['--dry-run'], of: [], use: 'Use --mode plan or --mode read-only.' },
  { flags: ['--last'], of: [], use: 'Use --continue.' },
  { flags: ['--no-history', '--no-save'], of: [], use: 'Use --no-session-persistence.' },
  { flags: ['--provider', '--model-provider'], of: [], use: 'Use --model PROVIDER/MODEL.' },
  { flags: ['--port', '--host', '--hostname'], of: [], use: 'Use `aca serve`.' },
  {
    flags: ['--temperature', '--top-p'],
    of: [],
    use: 'Leave it out; use --effort for how hard the model thinks.',
  },
  { flags: ['--skip-trust', '--trust-folder'], of: [], use: 'Use --trust.' },
  { flags: ['--list-extensions', '--list-models'], of: [], use: 'Use `aca plugin list` or `aca models`.' },
];

/** A sentence about a flag that we do not have and others do; undefined if no one has it. */
export function peerFlagHint(flag: string): string | undefined {
  const row = peerFlags.find(({ flags }) => flags.includes(flag));
  if (!row) return undefined;
  const whose = row.of.length > 0 ? `a flag of ${row.of.join(' and ')}` : 'not a flag of aca';
  return `${flag} is ${whose}. ${row.use}`;
}
