import { edited, type ForeignCall, no, PATCH, to } from './foreign-call.ts';

/** Calls after the published tool definitions of other assistants. */
export const published: readonly ForeignCall[] = [
  // Claude Code: sdk-tools.d.ts
  ['Claude Code', 'Grep', { pattern: 'x', context: 3, '-n': false }, to('Grep', { context: 3 })],
  ['Claude Code', 'Grep', { pattern: 'x', '-o': true }, to('Grep', { pattern: 'x' }, '-o')],
  [
    'Claude Code',
    'TaskOutput',
    { task_id: 'bg_1', block: false, timeout: 30_000 },
    to('BashOutput', { id: 'bg_1', wait_ms: 0 }),
  ],
  ['Claude Code', 'TaskStop', { shell_id: 'bg_1' }, to('KillShell', { id: 'bg_1' })],
  [
    'Claude Code',
    'Agent',
    { description: 'Look', prompt: 'Find it', subagent_type: 'Explore', model: 'haiku' },
    no(/model is no argument/),
  ],
  [
    'Claude Code',
    'Agent',
    { description: 'Look', prompt: 'Find it', isolation: 'worktree' },
    to('Task', { isolation: 'worktree' }),
  ],
  ['Claude Code', 'Agent', { description: 'Look', prompt: 'Find it', isolation: 'remote' }, no(/isolation/)],
  [
    'Claude Code',
    'Bash',
    { command: 'npm t', timeout: 600_000, description: 'Run tests' },
    to('Bash', { command: 'npm t', timeout: 600_000 }),
  ],
  ['Claude Code', 'Read', { file_path: '/p/a.ts', offset: 0 }, to('Read', { offset: 0 })],
  [
    'Claude Code',
    'NotebookEdit',
    { notebook_path: 'a.ipynb', cell_id: 'c', edit_mode: 'delete', new_source: '' },
    no(/Edit/),
  ],
  ['Claude Code', 'Skill', { skill: 'pdf', args: 'a.pdf' }, no(/Unknown tool Skill/)],
  ['Claude Code', 'EnterPlanMode', {}, no(/Unknown tool EnterPlanMode/)],
  [
    'Claude Code',
    'WebSearch',
    { query: 'node', blocked_domains: ['x.example'] },
    to('WebSearch', { blocked_domains: ['x.example'] }),
  ],
  // Codex: the specifications of its handlers
  [
    'Codex',
    'exec_command',
    { cmd: 'cargo test', workdir: '/p/sub', yield_time_ms: 30_000, login: true },
    to('Bash', { command: 'cargo test', working_directory: '/p/sub', timeout: 30_000 }),
  ],
  ['Codex', 'exec_command', { cmd: 'ls', sandbox_permissions: 'use_default' }, to('Bash', { command: 'ls' })],
  ['Codex', 'exec_command', { cmd: 'ls', environment_id: 'remote' }, no(/environment_id is no argument/)],
  ['Codex', 'write_stdin', { session_id: 3 }, to('BashOutput', { id: 'bg_3' })],
  ['Codex', 'write_stdin', { session_id: 3, chars: '\u0003' }, to('KillShell', { id: 'bg_3' })],
  [
    'Codex',
    'view_image',
    { path: 'a.png', detail: 'original' },
    to('Read', { file_path: 'a.png' }, 'detail'),
  ],
  [
    'Codex',
    'update_plan',
    { plan: [{ step: 'a', status: 'in_progress' }] },
    to('Todo', { items: [{ text: 'a', status: 'in_progress' }] }),
  ],
  [
    'Codex',
    'request_user_input',
    {
      questions: [
        {
          id: 'q',
          header: 'H',
          question: 'Which?',
          options: [
            { label: 'A', description: 'a' },
            { label: 'B', description: 'b' },
          ],
        },
      ],
    },
    to('AskUser', { question: 'Which?', choices: ['A', 'B'] }),
  ],
  [
    'Codex',
    'spawn_agent',
    { message: 'Find it', agent_type: 'explorer' },
    to('Task', { prompt: 'Find it', agent: 'explorer' }),
  ],
  [
    'Codex',
    'list_dir',
    { dir_path: '/p', offset: 1, limit: 25, depth: 2 },
    to('List', { path: '/p', depth: 2 }, 'offset, limit'),
  ],
  [
    'Codex',
    'read_file',
    { file_path: '/p/a', offset: 1, limit: 10, mode: 'slice' },
    to('Read', { offset: 1, limit: 10 }),
  ],
  [
    'Codex',
    'read_file',
    { file_path: '/p/a', mode: 'indentation', indentation: { anchor_line: 4 } },
    to('Read', { file_path: '/p/a' }, 'indentation, mode'),
  ],
  [
    'Codex',
    'shell',
    { command: ['bash', '-c', `cd 'my dir' && apply_patch <<'EOF'\n${PATCH}\nEOF`] },
    to('ApplyPatch', { patch: PATCH, working_directory: 'my dir' }),
  ],
  ['Codex', 'shell', { command: ['/usr/bin/bash', '-lc', 'ls'] }, to('Bash', { command: 'ls' })],
  [
    'Codex',
    'shell',
    { command: ['git', 'commit', '-m', "it's done"] },
    to('Bash', { command: "git commit -m 'it'\\''s done'" }),
  ],
  ['Codex', 'shell', { command: '["bash","-lc","ls -la"]' }, to('Bash', { command: 'ls -la' })],
  [
    'Codex',
    'shell_command',
    { command: 'make', timeout_ms: 120_000, workdir: 'src', login: false },
    to('Bash', { timeout: 120_000, working_directory: 'src' }),
  ],
  // Gemini CLI: its tool definitions
  [
    'Gemini CLI',
    'grep_search',
    { pattern: 'x', dir_path: 'src', include_pattern: '*.ts', case_sensitive: true, context: 2 },
    to('Grep', { path: 'src', glob: '*.ts', ignore_case: false, context: 2 }),
  ],
  ['Gemini CLI', 'grep_search', { pattern: 'Name' }, to('Grep', { pattern: 'Name', ignore_case: true })],
  [
    'Gemini CLI',
    'grep_search',
    { pattern: 'x', max_matches_per_file: 1 },
    to('Grep', { pattern: 'x' }, 'max_matches_per_file'),
  ],
  ['Gemini CLI', 'grep_search', { pattern: 'x', no_ignore: true }, to('Grep', { include_ignored: true })],
  [
    'Gemini CLI',
    'run_shell_command',
    { command: 'npm start', description: 'x', dir_path: 'web', is_background: true, delay_ms: 500 },
    to('Bash', { run_in_background: true, working_directory: 'web' }),
  ],
  [
    'Gemini CLI',
    'replace',
    { file_path: 'a.ts', instruction: 'i', old_string: 'x', new_string: 'y', allow_multiple: false },
    to('Edit', edited),
  ],
  [
    'Gemini CLI',
    'list_directory',
    { dir_path: 'src', file_filtering_options: { respect_git_ignore: false } },
    to('List', { path: 'src', include_ignored: true }),
  ],
  [
    'Gemini CLI',
    'glob',
    { pattern: '**/*.ts', dir_path: 'src', respect_gemini_ignore: true, case_sensitive: false },
    to('Glob', { pattern: '**/*.ts', path: 'src' }, 'respect_gemini_ignore, case_sensitive'),
  ],
  [
    'Gemini CLI',
    'web_fetch',
    { prompt: 'Summarize https://a.example/page' },
    to('WebFetch', { url: 'https://a.example/page' }, 'prompt'),
  ],
  [
    'Gemini CLI',
    'ask_user',
    {
      questions: [
        { question: 'Which?', header: 'H', type: 'choice', options: [{ label: 'A', description: 'a' }] },
      ],
    },
    to('AskUser', { question: 'Which?', choices: ['A'] }),
  ],
  [
    'Gemini CLI',
    'write_todos',
    { todos: [{ description: 'a', status: 'in_progress' }] },
    to('Todo', { items: [{ text: 'a', status: 'in_progress' }] }),
  ],
  ['Gemini CLI', 'exit_plan_mode', { plan_filename: 'p.md' }, no(/plan/)],
  [
    'Gemini CLI',
    'read_file',
    { file_path: 'a.ts', start_line: 1, end_line: 1 },
    to('Read', { offset: 1, limit: 1 }),
  ],
  [
    'Gemini CLI',
    'read_file',
    { absolute_path: '/p/a.ts', offset: 10, limit: 5 },
    to('Read', { file_path: '/p/a.ts', offset: 10, limit: 5 }),
  ],
];
