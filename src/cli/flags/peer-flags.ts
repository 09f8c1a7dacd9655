/** A flag that exists elsewhere and not here. `use` is the sentence that says what to do instead. */
type PeerFlag = { flags: readonly string[]; of: readonly Peer[]; use: string };

type Peer = 'aider' | 'Claude Code' | 'Codex' | 'Gemini CLI' | 'opencode';

const FILES = 'Mention the file in the prompt: @path/to/file.';
const AUTO = 'Use --mode auto, with --allow for what may run outside the sandbox.';

export const peerFlags: readonly PeerFlag[] = [
  { flags: ['--yolo', '-y'], of: ['Codex', 'Gemini CLI'], use: AUTO },
  { flags: ['--full-auto', '--dangerously-bypass-approvals-and-sandbox'], of: ['Codex'], use: AUTO },
  { flags: ['--yes', '--yes-always'], of: ['aider'], use: AUTO },
  { flags: ['--ask-for-approval', '-a'], of: ['Codex'], use: 'Use --mode: default asks, auto does not.' },
  { flags: ['--approval-mode'], of: ['Gemini CLI'], use: 'Use --mode default, accept-edits, plan or auto.' },
  {
    flags: ['--sandbox', '-s'],
    of: ['Codex', 'Gemini CLI'],
    use: 'Commands run in the sandbox anyway. Use --mode read-only, or see the setting sandbox.',
  },
  { flags: ['--architect', '--chat-mode'], of: ['aider'], use: 'Use --mode plan to plan before editing.' },
  { flags: ['--json', '--experimental-json'], of: ['Codex'], use: 'Use --output-format stream-json.' },
  { flags: ['--format'], of: ['opencode'], use: 'Use --output-format json or stream-json.' },
  { flags: ['--output-schema'], of: ['Codex'], use: 'Use --json-schema.' },
  {
    flags: ['--output-last-message', '-o'],
    of: ['Codex'],
    use: 'Redirect standard output: aca -p "TASK" > FILE.',
  },
  { flags: ['--cd', '-C', '--dir', '--cwd'], of: ['Codex', 'opencode'], use: 'Change to the folder first.' },
  { flags: ['--profile'], of: ['Codex'], use: 'Use --model and --mode, or set AI_ASSISTANT_HOME.' },
  { flags: ['--oss', '--local-provider'], of: ['Codex'], use: 'Use --model ollama/NAME.' },
  { flags: ['--skip-git-repo-check'], of: ['Codex'], use: 'Leave it out: no repository is needed.' },
  { flags: ['--search'], of: ['Codex'], use: 'Leave it out, and ask for a web search in the prompt.' },
  { flags: ['--config'], of: ['aider', 'Codex'], use: 'Use `aca config set KEY VALUE`.' },
  { flags: ['--ephemeral'], of: ['Codex'], use: 'Use --no-session-persistence.' },
  { flags: ['--prompt', '--message', '--msg'], of: ['aider', 'Gemini CLI'], use: 'Use -p "TASK".' },
  { flags: ['--message-file'], of: ['aider'], use: 'Use aca -p < FILE.' },
  { flags: ['--prompt-interactive', '-i'], of: ['Gemini CLI'], use: 'Pass the prompt as an argument.' },
  { flags: ['--include-directories'], of: ['Gemini CLI'], use: 'Use --add-dir.' },
  {
    flags: ['--allowed-mcp-server-names'],
    of: ['Gemini CLI'],
    use: 'Use --strict-mcp-config with --mcp-config.',
  },
  { flags: ['--extensions', '-e'], of: ['Gemini CLI'], use: 'See /plugins and the setting plugins.' },
  { flags: ['--list-sessions', '--delete-session'], of: ['Gemini CLI'], use: 'Use `aca sessions`.' },
  {
    flags: ['--checkpointing'],
    of: ['Gemini CLI'],
    use: 'Leave it out: /undo and /rewind always work.',
  },
  { flags: ['--all-files', '--all_files'], of: ['Gemini CLI'], use: 'Mention a folder in the prompt: @src.' },
  { flags: ['--proxy'], of: ['Gemini CLI'], use: 'Set HTTPS_PROXY.' },
  { flags: ['--acp', '--experimental-acp'], of: ['Gemini CLI', 'opencode'], use: 'It is not supported.' },
  { flags: ['--file', '--read', '-f'], of: ['aider', 'opencode'], use: FILES },
  {
    flags: ['--api-key', '--anthropic-api-key', '--openai-api-key'],
    of: ['aider'],
    use: 'Use `aca keys set PROVIDER`.',
  },
  {
    flags: ['--auto-commits', '--no-auto-commits', '--dirty-commits', '--no-dirty-commits'],
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
  { flags: ['--cache-prompts'], of: ['aider'], use: 'Leave it out: prompts are cached where possible.' },
  { flags: ['--dark-mode', '--light-mode'], of: ['aider'], use: 'Use /theme.' },
  { flags: ['--restore-chat-history'], of: ['aider'], use: 'Use --continue.' },
  { flags: ['--session'], of: ['opencode'], use: 'Use --resume ID.' },
  { flags: ['--command'], of: ['opencode'], use: 'Pass the command as the prompt: aca -p "/name".' },
  { flags: ['--variant'], of: ['opencode'], use: 'Use --effort.' },
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
    flags: ['--max-thinking-tokens', '--thinking', '--thinking-budget', '--reasoning-effort'],
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
];

/** A sentence about a flag that we do not have and others do; undefined if no one has it. */
export function peerFlagHint(flag: string): string | undefined {
  const row = peerFlags.find(({ flags }) => flags.includes(flag));
  return row && `${flag} is a flag of ${row.of.join(' and ')}. ${row.use}`;
}
