import path from 'node:path';
import { isObject, parseJson } from '../../lib/text/json.ts';
import { changesScripts } from './scripts.ts';

/** A file that package managers and servers act on later, and what changes of it they act on. */
export type Manifest = {
  name: RegExp;
  because: string;
  /** Whether a new version does more than a person would expect of everyday changes. */
  changes(before: string | null, after: string): boolean;
};

const INSTALLED = 'package managers install what it names';

const manifests: readonly Manifest[] = [
  {
    name: /^(package|composer)\.json$/i,
    because: 'npm and other programs run its scripts',
    changes: changesScripts,
  },
  {
    name: /^(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lock|poetry\.lock|uv\.lock|pipfile\.lock|cargo\.lock|gemfile\.lock|composer\.lock|go\.sum)$/i,
    because: INSTALLED,
    changes: (before, after) => addsHost(before ?? '', after) || changesPins(before ?? '', after),
  },
  {
    name: /^(requirements.*\.(txt|in)|constraints.*\.txt|pyproject\.toml|setup\.cfg|pipfile|environment\.ya?ml|cargo\.toml|gemfile|.*\.gemspec|go\.mod)$/i,
    because: INSTALLED,
    changes: (before, after) => newLines(before, after).some(installsElsewhere),
  },
  {
    name: /^pnpm-workspace\.yaml$/i,
    because: 'pnpm replaces packages and runs their scripts as it says',
    changes: (before, after) =>
      withoutSections(before ?? '') !== withoutSections(after) || addsHost(before ?? '', after),
  },
  {
    name: /^(dependabot\.ya?ml|renovate\.json5?|\.renovaterc(\.json5?)?|action\.ya?ml)$/i,
    because: 'the CI server does what it says',
    changes: (before, after) => before !== after,
  },
];

/** The rule for a file of this name, if there is one. */
export function manifestRule(file: string): Manifest | undefined {
  const base = path.basename(file);
  return manifests.find(({ name }) => name.test(base));
}

/** Where packages come from by default. */
const REGISTRIES = new Set([
  ...['registry.npmjs.org', 'registry.yarnpkg.com', 'pypi.org', 'files.pythonhosted.org', 'rubygems.org'],
  ...['crates.io', 'static.crates.io', 'index.crates.io', 'proxy.golang.org', 'repo.packagist.org'],
]);
const CRATES = /registry\+https:\/\/github\.com\/rust-lang\/crates\.io-index/g;
/** `//host/` of an address, and `user@host:` of git. */
const HOST = /(?:\/\/(?:[^\s/@"']*@)?|\bgit@)([\w.-]+)(?=[:/\s"'#?),]|$)/g;
/** What packages say about their authors, and installs nothing. */
const ABOUT_PACKAGE = /^\s*"?(funding|homepage|deprecated|url|repository)"?:.*$/gm;

function addsHost(before: string, after: string): boolean {
  const known = hostsIn(before);
  return [...hostsIn(after)].some((host) => !known.has(host) && !REGISTRIES.has(host));
}

function hostsIn(text: string): Set<string> {
  const plain = text.replaceAll(ABOUT_PACKAGE, '').replaceAll(CRATES, '');
  return new Set([...plain.matchAll(HOST)].map(([, host = '']) => host.toLowerCase()));
}

/** Lines that say which bytes a package has and where they are. */
const PIN = /integrity|resolved|resolution|checksum|hash|source|tarball|url|revision|sha\d/i;

/** Whether the same version of a package now has other contents, or comes under the name of another. */
function changesPins(before: string, after: string): boolean {
  const was = pinsOf(before);
  return [...pinsOf(after)].some(([key, pin]) => {
    const known = was.get(key);
    return known === undefined ? isAlias(key, pin) : known !== pin;
  });
}

function pinsOf(text: string): Map<string, string> {
  const parsed = parseJson(text);
  if (isObject(parsed)) return npmPins(parsed);
  const isSums = text.split('\n').every((line) => /^(\S+ \S+ h1:\S+)?$/.test(line));
  const blocks = isSums
    ? text.split('\n').map((line) => line.replace(' h1:', '\nhash '))
    : text.split(/\n\s*\n/);
  return new Map(
    blocks.map((block) => {
      const lines = block.split('\n');
      const [key, pin] = [false, true].map((isPin) => lines.filter((line) => PIN.test(line) === isPin));
      return [key?.join('\n').trim() ?? '', pin?.join('\n').trim() ?? ''] as const;
    }),
  );
}

function npmPins({ packages }: Readonly<Record<string, unknown>>): Map<string, string> {
  const found = Object.entries(isObject(packages) ? packages : {}).flatMap(([key, entry]) => {
    if (key === '' || !isObject(entry)) return [];
    const { version, resolved, integrity } = entry;
    return [[`${key}@${version}`, `${resolved} ${integrity}`] as const];
  });
  return new Map(found);
}

/** npm: `node_modules/a` whose address is that of another package. */
function isAlias(key: string, pin: string): boolean {
  const [, name] = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/@]+)@[^/]*$/.exec(key) ?? [];
  const [, found] = /^https:\/\/registry\.npmjs\.org\/(.+)\/-\//.exec(pin) ?? [];
  return name !== undefined && found !== undefined && decodeURIComponent(found) !== name;
}

function newLines(before: string | null, after: string): string[] {
  const known = new Set((before ?? '').split('\n').map((line) => line.trim()));
  return after.split('\n').filter((line) => !known.has(line.trim()) && !/^\s*(#|\/\/)/.test(line));
}

const ELSEWHERE =
  /\b(git|hg|svn|bzr)\+|\b[a-z]+:\/\/|\bgit@|--(extra-)?index-url|--find-links|--trusted-host|(^|\s)(-i|-f|-e)\s|\b(git|github|path)\s*[:=]|^\s*replace\b|=>|build-backend|backend-path|^\s*(build|links)\s*=|^\s*\[(patch|replace|build-system|source)|^\s*requires\s*=/i;
const METADATA =
  /^\s*"?(homepage|repository|documentation|changelog|issues|bug[ _-]?tracker|source[ _-]?code|readme|download|module)"?\s*[:= ]/i;
const REGISTRY_LINE = /https:\/\/(rubygems\.org|pypi\.org\/simple)\/?["']?\s*$/;

function installsElsewhere(line: string): boolean {
  return ELSEWHERE.test(line) && !METADATA.test(line) && !REGISTRY_LINE.test(line);
}

/** Of `pnpm-workspace.yaml`: all but the lists of folders and versions. */
function withoutSections(text: string): string {
  return text
    .split(/\n(?=\S)/)
    .filter((section) => !/^(packages|catalogs?|#)\b|^#|^\s*$/.test(section))
    .map((section) => section.trim())
    .join('\n');
}
