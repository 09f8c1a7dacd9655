import { expect, test } from 'vitest';
import { manifestRule } from './manifests.ts';

const npmLock = (entry: object, name = 'a') =>
  JSON.stringify({ lockfileVersion: 3, packages: { '': {}, [`node_modules/${name}`]: entry } }, null, 2);
const a = { version: '1.0.0', resolved: 'https://registry.npmjs.org/a/-/a-1.0.0.tgz', integrity: 'sha512-A' };
const yarn = (resolved: string, integrity = 'sha512-A') =>
  `# yarn lockfile v1\n\n\na@^1:\n  version "1.0.0"\n  resolved "${resolved}"\n  integrity ${integrity}\n`;
const registry = 'https://registry.yarnpkg.com/a/-/a-1.0.0.tgz#1';
const pnpm = (resolution: string) =>
  `lockfileVersion: '9.0'\n\npackages:\n\n  a@1.0.0:\n    resolution: {${resolution}}\n`;
const cargo = (checksum: string, source = 'registry+https://github.com/rust-lang/crates.io-index') =>
  `version = 3\n\n[[package]]\nname = "a"\nversion = "1.0.0"\nsource = "${source}"\nchecksum = "${checksum}"\n`;

const harmless: [file: string, before: string | null, after: string][] = [
  ['package-lock.json', null, npmLock(a)],
  ['package-lock.json', npmLock({ ...a, version: '0.9.0', integrity: 'sha512-0' }), npmLock(a)],
  ['package-lock.json', npmLock(a), npmLock({ ...a, funding: { url: 'https://author.test' } })],
  ['yarn.lock', null, yarn(registry)],
  [
    'pnpm-lock.yaml',
    pnpm('integrity: sha512-A'),
    `${pnpm('integrity: sha512-A')}\n  b@1.0.0:\n    resolution: {integrity: sha512-B}\n`,
  ],
  ['Cargo.lock', null, cargo('1')],
  ['go.sum', 'a.test/x v1.0.0 h1:A=\n', 'a.test/x v1.0.0 h1:A=\na.test/x v1.1.0 h1:B=\n'],
  ['requirements.txt', 'a==1\n', 'a==2\nb>=1\n# https://docs.test\n'],
  ['pyproject.toml', '[project]\n', '[project]\ndependencies = ["a"]\nhomepage = "https://a.test"\n'],
  ['Cargo.toml', '[package]\n', '[package]\nrepository = "https://a.test"\n[dependencies]\na = "1"\n'],
  ['Gemfile', null, 'source "https://rubygems.org"\ngem "a"\n'],
  ['go.mod', 'module a.test/x\n', 'module a.test/x\nrequire a.test/y v1.0.0\n'],
  ['pnpm-workspace.yaml', 'packages:\n  - a\n', 'packages:\n  - a\n  - b\ncatalog:\n  x: 1\n'],
  ['action.yml', 'x', 'x'],
];

test.each(harmless)('%s: everyday changes are harmless (%#)', (file, before, after) => {
  expect(manifestRule(`/p/${file}`)?.changes(before, after)).toBe(false);
});

const risky: [file: string, before: string | null, after: string][] = [
  ['package-lock.json', npmLock(a), npmLock({ ...a, resolved: 'https://evil.test/a.tgz' })],
  ['package-lock.json', npmLock(a), npmLock({ ...a, integrity: 'sha512-B' })],
  ['package-lock.json', null, npmLock({ ...a, resolved: 'git+ssh://git@evil.test/a.git#1' })],
  [
    'package-lock.json',
    null,
    npmLock({ ...a, resolved: 'https://registry.npmjs.org/evil/-/evil-1.0.0.tgz' }),
  ],
  ['yarn.lock', yarn(registry), yarn('https://evil.test/a.tgz#1')],
  ['yarn.lock', yarn(registry), yarn(registry, 'sha512-B')],
  [
    'pnpm-lock.yaml',
    pnpm('integrity: sha512-A'),
    pnpm('integrity: sha512-A, tarball: https://evil.test/a.tgz'),
  ],
  ['pnpm-lock.yaml', pnpm('integrity: sha512-A'), pnpm('integrity: sha512-B')],
  ['Cargo.lock', cargo('1'), cargo('2')],
  ['Cargo.lock', cargo('1'), cargo('1', 'git+https://github.com/evil/a')],
  ['go.sum', 'a.test/x v1.0.0 h1:A=\n', 'a.test/x v1.0.0 h1:B=\n'],
  ['requirements.txt', 'a==1\n', 'a @ https://evil.test/a.whl\n'],
  ['requirements-dev.txt', '', 'git+https://evil.test/a\n'],
  ['requirements.txt', 'a==1\n', '--extra-index-url https://evil.test\na==1\n'],
  ['pyproject.toml', '', '[build-system]\nrequires = ["evil"]\n'],
  ['pyproject.toml', '', '[project]\ndependencies = ["a @ git+https://evil.test/a"]\n'],
  ['Cargo.toml', '', '[dependencies]\na = { git = "https://evil.test/a" }\n'],
  ['Cargo.toml', '[package]\n', '[package]\nbuild = "evil.rs"\n'],
  ['Gemfile', '', 'gem "a", git: "https://evil.test/a"\n'],
  ['go.mod', 'module a.test/x\n', 'module a.test/x\nreplace a.test/y => evil.test/y v1.0.0\n'],
  ['pnpm-workspace.yaml', 'packages:\n  - a\n', 'packages:\n  - a\noverrides:\n  x: npm:evil\n'],
  ['pnpm-workspace.yaml', 'packages:\n  - a\n', 'packages:\n  - a\nonlyBuiltDependencies:\n  - evil\n'],
  ['.github/dependabot.yml', null, 'registries: {}'],
  ['renovate.json', '{}', '{"postUpgradeTasks":{}}'],
  ['action.yml', 'x', 'y'],
];

test.each(risky)('%s: what brings code from elsewhere is not (%#)', (file, before, after) => {
  expect(manifestRule(`/p/${file}`)?.changes(before, after)).toBe(true);
});

test('other files have no rule', () => {
  for (const file of ['src/a.ts', 'lock.json', 'README.md', 'requirements.md', 'workflow-action.yml.md'])
    expect(manifestRule(file)).toBeUndefined();
});
