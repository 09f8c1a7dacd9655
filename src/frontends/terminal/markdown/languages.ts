import type { grammars } from './grammars.ts';

export type GrammarName = keyof typeof grammars;

/** Fence words and file extensions, by grammar. */
const words: Record<GrammarName, string> = {
  bash: 'bash sh zsh ksh fish envrc bashrc zshrc',
  c: 'c h',
  clojure: 'clojure clj cljs edn',
  cmake: 'cmake cmakelists.txt',
  cpp: 'cpp cc cxx hpp hh hxx c++ h++ ino cu',
  csharp: 'csharp cs c#',
  css: 'css',
  dart: 'dart',
  diff: 'diff patch',
  dockerfile: 'dockerfile docker containerfile',
  elixir: 'elixir ex exs',
  erlang: 'erlang erl hrl',
  go: 'go golang',
  graphql: 'graphql gql',
  haskell: 'haskell hs',
  ini: 'ini toml cfg conf properties editorconfig gitconfig',
  java: 'java',
  javascript: 'javascript js jsx mjs cjs',
  json: 'json jsonc json5 jsonl ndjson',
  julia: 'julia jl',
  kotlin: 'kotlin kt kts',
  latex: 'latex tex',
  less: 'less',
  lua: 'lua',
  makefile: 'makefile make mk gnumakefile',
  markdown: 'markdown md mdx',
  nginx: 'nginx nginxconf',
  nix: 'nix',
  objectivec: 'objectivec objc m mm',
  ocaml: 'ocaml ml mli',
  perl: 'perl pl pm',
  php: 'php',
  powershell: 'powershell ps1 psm1 pwsh',
  protobuf: 'protobuf proto',
  python: 'python py pyi py3 python3',
  r: 'r',
  ruby: 'ruby rb gemfile rakefile gemspec',
  rust: 'rust rs',
  scala: 'scala sc sbt',
  scss: 'scss sass',
  shell: 'console shell-session terminal shellsession',
  sql: 'sql psql mysql sqlite postgresql',
  swift: 'swift',
  typescript: 'typescript ts tsx mts cts',
  vim: 'vim vimrc viml',
  xml: 'xml html htm xhtml svg vue svelte rss plist xsl',
  yaml: 'yaml yml',
};

const byWord = new Map<string, GrammarName>([
  ...Object.entries(words).flatMap(([name, list]) =>
    list.split(' ').map((word): [string, GrammarName] => [word, name as GrammarName]),
  ),
  ['shell', 'bash'],
]);

/** By the word after a fence. */
export function grammarFor(word: string): GrammarName | null {
  return byWord.get(word.toLowerCase()) ?? null;
}

/** By file name. */
export function languageOfPath(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (byWord.has(name.replace(/^\./, ''))) return name.replace(/^\./, '');
  return name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : '';
}
