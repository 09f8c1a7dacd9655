import { differs, restricts, type SupportTable, unsupported, works } from './table.ts';

export const opencodeTable: SupportTable = {
  name: 'opencode',
  settings: {
    title: 'Settings',
    about: 'Keys of `opencode.json` and `opencode.jsonc`, in the project and in `~/.config/opencode`.',
    rows: [
      works(
        'mcp',
        '`local` and `remote` servers, with `environment`, `headers`, `timeout`, `enabled`, `{env:NAME}`.',
      ),
      works('model'),
      works('small_model', 'Becomes `helperModel`.'),
      differs(
        'permission',
        '`edit`, `read`, `bash`, `webfetch`, `task`, `glob`, `grep`, `list`, `external_directory` and `*` become rules. Where patterns overlap, the stricter one applies, not the last one.',
      ),
      differs('tools', 'Tools that are `false` become deny rules.'),
      differs(
        'agent',
        '`prompt`, `description`, `model`, `tools`, `permission`, `steps` and `disable` work. Agents with `mode: "primary"` have no effect.',
      ),
      differs('mode', 'As `agent`.'),
      differs('command', '`template` and `description` work.'),
      unsupported('provider', 'Use the setting `providers`.'),
      works('disabled_providers', 'A model of such a provider is not chosen.'),
      restricts(unsupported('enabled_providers', 'Remove the keys of other providers.')),
      unsupported('instructions', 'Import the files in `AGENTS.md`.'),
      unsupported('default_agent', 'Remove it.'),
      unsupported('plugin', 'Plugins have another format; see [plugins](plugins.md).'),
      unsupported('share', 'Sessions are never shared.'),
      unsupported('autoshare', 'Sessions are never shared.'),
      unsupported('autoupdate', 'Use the setting `updates`.'),
      unsupported('theme', 'Use the setting `theme`.'),
      unsupported('keybinds', 'Use the setting `keys`.'),
      unsupported('formatter', 'Use a `PostToolUse` [hook](hooks.md).'),
      unsupported('lsp', 'Remove it.'),
      unsupported('tui', 'Remove it.'),
      unsupported('server', 'Remove it.'),
      unsupported('watcher', 'Remove it.'),
      unsupported('snapshot', 'Every run can be undone with `/undo`.'),
      unsupported('compaction', 'Use the setting `summarizationThreshold`.'),
      unsupported('username', 'Remove it.'),
      unsupported('experimental', 'Remove it.'),
    ],
  },
  others: [
    {
      title: 'Files',
      about: '',
      rows: [
        works('AGENTS.md'),
        unsupported('~/.config/opencode/AGENTS.md', 'Copy it to `~/.ai-assistant/AGENTS.md`.'),
        works('.opencode/command/*.md', 'Once you trust the folder; also `~/.config/opencode/command`.'),
        unsupported('.opencode/agent/*.md', 'Copy them to `.ai-assistant/agents`.'),
        works('.opencode/skills', 'Once you trust the folder; also `~/.config/opencode/skills`.'),
        works('.claude/skills'),
        unsupported('~/.local/share/opencode/auth.json', 'Store your keys with `aca keys set PROVIDER`.'),
      ],
    },
    {
      title: 'Flags and commands',
      about: '',
      rows: [
        differs('opencode run PROMPT', 'Use `aca -p PROMPT`.'),
        works('-m, --model'),
        works('-c, --continue'),
        differs('-s, --session', 'Use `--resume`.'),
        unsupported('--agent', 'Name the subagent in the prompt.'),
      ],
    },
  ],
};
