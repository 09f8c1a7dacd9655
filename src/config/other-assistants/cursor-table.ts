import { differs, restricts, type SupportTable, unsupported, works } from './table.ts';

export const cursorTable: SupportTable = {
  name: 'Cursor',
  settings: {
    title: 'Settings',
    about:
      'Keys of `.cursor/mcp.json`, `~/.cursor/mcp.json`, `.cursor/cli.json` and `~/.cursor/cli-config.json`.',
    rows: [
      differs(
        'mcpServers',
        '`command`, `args`, `env`, `url`, `headers` and variables work. `envFile` and `auth` have no effect.',
      ),
      differs(
        'permissions.allow',
        '`Shell(git)`, `Read(…)`, `Write(…)`, `WebFetch(…)` and `Mcp(server:tool)` become [rules](permissions.md#rules).',
      ),
      differs('permissions.deny', 'Converted like `permissions.allow`.'),
      unsupported('editor', 'Use the setting `editorMode`.'),
      unsupported('model', 'Use the setting `model`.'),
      restricts(unsupported('sandbox', 'See [sandbox](sandbox.md).')),
      differs('approvalMode', 'You are asked, whatever it says; use `mode`.'),
    ],
  },
  others: [
    {
      title: 'Files',
      about: '',
      rows: [
        works('AGENTS.md'),
        works(
          '.cursor/rules/**/*.mdc',
          '`alwaysApply`, `globs` and `description`; mention others with `@` in a prompt.',
        ),
        works('.cursorrules'),
        works('.cursor/commands/*.md', 'Once you trust the folder; also `~/.cursor/commands`.'),
        restricts(unsupported('.cursorignore', 'Add deny rules such as `Read(secrets/**)`.')),
        restricts(unsupported('.cursor/hooks.json', 'Write them as [hooks](hooks.md).')),
      ],
    },
    {
      title: 'Flags of cursor-agent',
      about: '',
      rows: [
        works('-p, --print'),
        works('--model'),
        works('--resume'),
        differs('-f, --force', 'Use `--mode auto`.'),
        differs('--output-format', 'The JSON has other fields; see [headless](headless.md).'),
      ],
    },
  ],
};
