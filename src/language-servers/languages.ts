/** A program that serves a language. */
export type ServerProgram = {
  name: string;
  command: string;
  args: readonly string[];
  /** Only in `node_modules`, and only if this package has at least this major version. */
  since?: { package: string; major: number };
  initializationOptions?: unknown;
  /**
   * What it publishes does not say which version of a text it is for: `tsserver` has requests of its own instead,
   * `none` is for navigation only.
   */
  diagnostics?: 'tsserver' | 'none';
  /** It publishes diagnostics once per version, all of them: there is no second stage to wait for. */
  publishesOnce?: true;
  /** Its progress is about its answers, not about what they lack. */
  ignoreProgress?: true;
  /** Added to its environment. */
  env?: Readonly<Record<string, string>>;
};

/** A language, or a family of them that one server serves. */
export type Language = {
  name: string;
  /** The protocol's language ids by file name ending. */
  extensions: Readonly<Record<string, string>>;
  /** Files that mark the root of a project. */
  markers: readonly string[];
  /** The first one that is installed is used. */
  programs: readonly ServerProgram[];
  /** Files whose change the server does not notice on its own: it starts again. */
  restartOn?: readonly string[];
};

/** Where a server in the sandbox may write: its private temporary folder. */
const scratch = '/tmp';

const tsOptions = {
  // Nothing is downloaded.
  disableAutomaticTypingAcquisition: true,
  tsserver: { useClientFileWatcher: true, useSyntaxServer: 'never' },
};

const languages: readonly Language[] = [
  {
    name: 'TypeScript',
    extensions: {
      '.ts': 'typescript',
      '.mts': 'typescript',
      '.cts': 'typescript',
      '.tsx': 'typescriptreact',
      '.js': 'javascript',
      '.mjs': 'javascript',
      '.cjs': 'javascript',
      '.jsx': 'javascriptreact',
    },
    markers: ['tsconfig.json', 'jsconfig.json', 'package.json'],
    restartOn: [
      'node_modules/.package-lock.json',
      'node_modules/.modules.yaml',
      'node_modules/.yarn-state.yml',
    ],
    programs: [
      { name: 'tsc', command: 'tsc', args: ['--lsp', '--stdio'], since: { package: 'typescript', major: 7 } },
      { name: 'tsgo', command: 'tsgo', args: ['--lsp', '--stdio'] },
      {
        name: 'typescript-language-server',
        command: 'typescript-language-server',
        args: ['--stdio'],
        initializationOptions: tsOptions,
        diagnostics: 'tsserver',
      },
    ],
  },
  {
    name: 'Python',
    extensions: { '.py': 'python', '.pyi': 'python' },
    markers: ['pyproject.toml', 'pyrightconfig.json', 'setup.py', 'setup.cfg', 'requirements.txt'],
    programs: [
      {
        name: 'basedpyright',
        command: 'basedpyright-langserver',
        args: ['--stdio'],
        ignoreProgress: true,
      },
      { name: 'pyright', command: 'pyright-langserver', args: ['--stdio'], ignoreProgress: true },
    ],
  },
  {
    name: 'Go',
    extensions: { '.go': 'go' },
    markers: ['go.work', 'go.mod'],
    programs: [
      {
        name: 'gopls',
        command: 'gopls',
        args: [],
        // Older versions only publish: at once, and the rest after a delay.
        initializationOptions: { pullDiagnostics: true, diagnosticsDelay: '0s' },
        env: {
          XDG_CACHE_HOME: scratch,
          GOPLSCACHE: `${scratch}/gopls`,
          GOCACHE: `${scratch}/go-build`,
          GOFLAGS: '-mod=readonly',
          GOPROXY: 'off',
        },
      },
    ],
  },
  {
    name: 'Rust',
    extensions: { '.rs': 'rust' },
    markers: ['Cargo.toml'],
    programs: [
      {
        name: 'rust-analyzer',
        command: 'rust-analyzer',
        args: [],
        // What cargo finds comes later than the answer, which would claim that there is nothing.
        initializationOptions: { checkOnSave: false },
        env: { CARGO_TARGET_DIR: `${scratch}/target`, CARGO_NET_OFFLINE: 'true' },
      },
    ],
  },
  {
    name: 'C/C++',
    extensions: {
      '.c': 'c',
      '.h': 'c',
      '.cc': 'cpp',
      '.cpp': 'cpp',
      '.cxx': 'cpp',
      '.hpp': 'cpp',
      '.hh': 'cpp',
      '.hxx': 'cpp',
    },
    markers: ['compile_commands.json', 'compile_flags.txt', 'CMakeLists.txt', 'meson.build', 'Makefile'],
    restartOn: ['compile_commands.json', 'compile_flags.txt', '.clangd'],
    programs: [
      {
        name: 'clangd',
        command: 'clangd',
        args: ['--background-index=false', '--log=error', '--pch-storage=memory'],
        publishesOnce: true,
      },
    ],
  },
  {
    name: 'Java',
    extensions: { '.java': 'java' },
    markers: ['pom.xml', 'build.gradle', 'build.gradle.kts', 'settings.gradle'],
    programs: [
      {
        name: 'jdtls',
        command: 'jdtls',
        // It writes to both. By default, the second is beside the program or in the home folder.
        args: ['-data', `${scratch}/jdtls`, '-configuration', `${scratch}/jdtls-configuration`],
        diagnostics: 'none',
      },
    ],
  },
  {
    name: 'C#',
    extensions: { '.cs': 'csharp' },
    markers: ['global.json', 'Directory.Build.props'],
    programs: [{ name: 'csharp-ls', command: 'csharp-ls', args: [] }],
  },
  {
    name: 'PHP',
    extensions: { '.php': 'php' },
    markers: ['composer.json'],
    programs: [{ name: 'phpactor', command: 'phpactor', args: ['language-server'] }],
  },
  {
    name: 'Ruby',
    extensions: { '.rb': 'ruby' },
    markers: ['Gemfile'],
    programs: [{ name: 'ruby-lsp', command: 'ruby-lsp', args: [] }],
  },
  {
    name: 'Zig',
    extensions: { '.zig': 'zig' },
    markers: ['build.zig'],
    programs: [{ name: 'zls', command: 'zls', args: [] }],
  },
  {
    name: 'Lua',
    extensions: { '.lua': 'lua' },
    markers: ['.luarc.json'],
    programs: [{ name: 'lua-language-server', command: 'lua-language-server', args: [] }],
  },
  {
    name: 'Kotlin',
    extensions: { '.kt': 'kotlin', '.kts': 'kotlin' },
    markers: ['settings.gradle.kts', 'build.gradle.kts'],
    programs: [{ name: 'kotlin-language-server', command: 'kotlin-language-server', args: [] }],
  },
];

/** A language of the user's own, or another server for a known one. */
export type LanguageSetting = {
  command: string;
  args: readonly string[];
  /** Language ids by file name ending. */
  extensions: Readonly<Record<string, string>>;
  markers: readonly string[];
  initializationOptions?: unknown;
};

/** The languages in use: the user's own first, so that theirs win for the endings they name. */
export function languagesWith(
  own: Readonly<Record<string, LanguageSetting>>,
  builtin: readonly Language[] = languages,
): readonly Language[] {
  const added = Object.entries(own).map(
    ([name, { command, args, extensions, markers, initializationOptions }]): Language => ({
      name,
      extensions,
      markers,
      programs: [
        { name, command, args, ...(initializationOptions !== undefined && { initializationOptions }) },
      ],
    }),
  );
  return [...added, ...builtin];
}

export function languageOf(path: string, all: readonly Language[]): Language | undefined {
  const ending = endingOf(path);
  return all.find(({ extensions }) => Object.hasOwn(extensions, ending));
}

/** The file name ending with its dot, in lower case; empty if it has none. */
export function endingOf(path: string): string {
  return /\.[^./\\]+$/.exec(path)?.[0].toLowerCase() ?? '';
}
