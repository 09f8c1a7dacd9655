/** Places in the home folder that commands may read, by what needs them. */
export type OpenPlaces = { for: string; places: readonly string[] };

/** Toolchains, their caches, and packages that were installed for all projects. None of them holds a login. */
export const openPlaces: readonly OpenPlaces[] = [
  {
    for: 'Node.js',
    places: [
      ...['.npm/_cacache', '.npm/_npx', '.npm-global', '.npm-packages', '.node-gyp', '.cache/node-gyp'],
      ...['.nvm', '.volta', '.fnm', '.local/share/fnm', '.nodenv', '.n', '.cache/node', '.cache/corepack'],
      ...['.pnpm-store', '.local/share/pnpm', '.cache/pnpm', '.yarn', '.cache/yarn', '.config/yarn/global'],
      ...['.bun', '.deno', '.cache/deno', '.cache/ms-playwright', '.cache/Cypress', '.cache/puppeteer'],
      ...['.cache/electron', '.cache/electron-builder', '.cache/prisma', '.cache/turbo', '.proto'],
    ],
  },
  {
    for: 'Python',
    places: [
      ...[
        '.pyenv',
        '.local/lib',
        '.local/pipx',
        '.local/share/pipx',
        '.local/share/uv',
        '.local/share/hatch',
      ],
      ...['.cache/pip', '.cache/uv', '.cache/pypoetry', '.cache/hatch', '.cache/pre-commit', '.cache/pdm'],
      ...['.virtualenvs', '.local/share/virtualenvs', '.local/share/pdm', '.rye', '.pixi', '.cache/rattler'],
      ...['miniconda3', 'anaconda3', 'miniforge3', 'mambaforge', 'micromamba', '.conda/envs', '.conda/pkgs'],
      ...['.cache/huggingface/hub', '.cache/huggingface/datasets', '.cache/torch', 'nltk_data'],
    ],
  },
  {
    for: 'Rust',
    places: ['.cargo/bin', '.cargo/env', '.cargo/git', '.cargo/registry', '.rustup', '.cache/sccache'],
  },
  {
    for: 'Go',
    places: ['go/bin', 'go/pkg', 'sdk', '.cache/go-build', '.goenv', '.gvm', '.cache/golangci-lint'],
  },
  {
    for: 'Java, Kotlin and Scala',
    places: [
      ...['.m2/repository', '.m2/wrapper', '.m2/toolchains.xml', '.gradle/caches', '.gradle/wrapper'],
      ...['.gradle/jdks', '.gradle/native', '.sdkman', '.jdks', '.jenv', '.jabba', '.konan', '.ivy2/cache'],
      ...['.ivy2/local', '.sbt/boot', '.sbt/launchers', '.cache/coursier', '.cache/bazelisk', '.cache/bazel'],
      ...['.local/share/coursier', 'Android/Sdk', '.android/cache'],
    ],
  },
  {
    for: '.NET',
    places: [
      ...['sdk', 'sdk-manifests', 'shared', 'host', 'packs', 'templates', 'tools', 'dotnet', 'store'].map(
        (name) => `.dotnet/${name}`,
      ),
      ...['.nuget/packages', '.local/share/NuGet', '.templateengine'],
    ],
  },
  {
    for: 'Ruby',
    places: ['.rbenv', '.rvm', '.rubies', '.gem/ruby', '.local/share/gem', '.bundle/cache', '.bundle/plugin'],
  },
  {
    for: 'PHP',
    places: [
      ...['.composer/cache', '.composer/vendor', '.cache/composer', '.config/composer/vendor', '.phpenv'],
      ...['.phpbrew', '.local/share/composer/vendor'],
    ],
  },
  {
    for: 'C and C++',
    places: [
      '.cache/ccache',
      '.ccache',
      '.conan2/p',
      '.cache/vcpkg',
      '.cache/zig',
      '.emscripten_cache',
      '.xmake',
    ],
  },
  {
    for: 'other languages',
    places: [
      ...['.mix/archives', '.mix/elixir', '.hex/packages', '.cache/rebar3', '.kerl', '.kiex', '.ghcup'],
      ...['.cabal/bin', '.cabal/packages', '.cabal/store', '.local/state/cabal', '.stack/programs'],
      ...['.stack/snapshots', '.stack/pantry', '.opam', '.nimble', '.luarocks', '.plenv', 'perl5', 'R'],
      ...['.julia/artifacts', '.julia/compiled', '.julia/juliaup', '.julia/packages', '.julia/registries'],
      ...['.pub-cache/bin', '.pub-cache/hosted', '.pub-cache/git', 'flutter', 'fvm', '.swiftly', '.zvm'],
      ...['.local/share/swiftly', '.cache/org.swift.swiftpm', '.local/share/renv', '.cache/R'],
    ],
  },
  {
    for: 'version managers and programs',
    places: [
      ...['.asdf', '.local/share/mise', '.local/share/rtx', '.local/share/aquaproj-aqua', '.nix-profile'],
      ...['.local/state/nix', '.linuxbrew', '.local/bin', '.local/opt', 'bin', '.terraform.d/plugin-cache'],
      ...['.fonts', '.local/share/fonts', '.cache/fontconfig', '.tool-versions', '.nvmrc', '.node-version'],
      ...['.python-version', '.ruby-version', '.java-version', '.sdkmanrc', '.editorconfig'],
    ],
  },
  {
    for: 'macOS',
    places: [
      ...['go-build', 'pip', 'Yarn', 'pnpm', 'CocoaPods', 'Homebrew', 'org.swift.swiftpm', 'deno'].map(
        (name) => `Library/Caches/${name}`,
      ),
      ...['Library/pnpm', 'Library/Python', 'Library/Java', 'Library/Android/sdk', 'Library/Developer/Xcode'],
      ...['Library/Developer/CoreSimulator', 'Library/Developer/Toolchains', 'Library/Fonts'],
    ],
  },
];

/** Settings that builds and git need. Each is open only while it contains nothing that looks like a login. */
export const openSettings: readonly string[] = [
  ...['.gitconfig', '.config/git/config', '.config/git/attributes', '.config/git/ignore', '.gitignore'],
  ...['.gitignore_global', '.gitattributes', '.gitmessage', '.mailmap', '.npmrc', '.config/pnpm/rc'],
  ...['.yarnrc', '.yarnrc.yml', '.bunfig.toml', '.cargo/config', '.cargo/config.toml', '.config/go/env'],
  ...['.pip/pip.conf', '.config/pip/pip.conf', '.config/uv/uv.toml', '.condarc', '.pydistutils.cfg'],
  ...[
    '.config/pypoetry/config.toml',
    '.m2/settings.xml',
    '.gradle/gradle.properties',
    '.mavenrc',
    '.sbtopts',
  ],
  ...['.nuget/NuGet/NuGet.Config', '.config/NuGet/NuGet.Config', '.gemrc', '.bundle/config', '.irbrc'],
  ...['.composer/config.json', '.config/composer/config.json', '.config/mise/config.toml', '.asdfrc'],
  ...['.clang-format', '.config/rustfmt/rustfmt.toml', '.config/ccache/ccache.conf', '.terraformrc'],
];

/** A name that is followed by a value, or an address with a password. */
export const loginInSettings =
  /_auth|token|passw(or)?d|passphrase|secret|api_?key|private_?key|extraheader|authorization|:\/\/[^\s/@"'<>]+:[^\s/@"'<>]+@/i;

/** Variables with which users move such folders elsewhere, and where those are by default. */
export const movedPlaces: Readonly<Record<string, string>> = {
  ASDF_DATA_DIR: '.asdf',
  BUN_INSTALL: '.bun',
  CARGO_HOME: '.cargo',
  CCACHE_DIR: '.ccache',
  COMPOSER_CACHE_DIR: '.cache/composer',
  COMPOSER_HOME: '.composer',
  DENO_DIR: '.cache/deno',
  DOTNET_ROOT: '.dotnet',
  FNM_DIR: '.fnm',
  GEM_HOME: '.local/share/gem',
  GOCACHE: '.cache/go-build',
  GOMODCACHE: 'go/pkg',
  GOPATH: 'go',
  GRADLE_USER_HOME: '.gradle',
  MISE_DATA_DIR: '.local/share/mise',
  NUGET_PACKAGES: '.nuget/packages',
  NVM_DIR: '.nvm',
  PIP_CACHE_DIR: '.cache/pip',
  PNPM_HOME: '.local/share/pnpm',
  POETRY_CACHE_DIR: '.cache/pypoetry',
  PYENV_ROOT: '.pyenv',
  RBENV_ROOT: '.rbenv',
  RUSTUP_HOME: '.rustup',
  SDKMAN_DIR: '.sdkman',
  UV_CACHE_DIR: '.cache/uv',
  VOLTA_HOME: '.volta',
  XDG_CACHE_HOME: '.cache',
  XDG_DATA_HOME: '.local/share',
  YARN_CACHE_FOLDER: '.cache/yarn',
};

/** Variables that name one installation. */
export const installations: readonly string[] = [
  ...['ANDROID_HOME', 'ANDROID_SDK_ROOT', 'CONDA_PREFIX', 'EMSDK', 'FLUTTER_ROOT', 'GOROOT', 'JAVA_HOME'],
  ...['VIRTUAL_ENV', 'M2_HOME', 'MAVEN_HOME', 'GRADLE_HOME', 'HOMEBREW_PREFIX', 'VCPKG_ROOT'],
];
