import path from 'node:path';
import { isObject, parseJson, parseObject } from '../../lib/text/json.ts';
import { COMPONENT_KEYS, isPluginName } from './marketplace-file.ts';
import { insidePath } from './source.ts';

/** The manifest of a plugin in the format of Claude Code. */
const MANIFEST = '.claude-plugin/plugin.json';

/** A Markdown file; `path` is what its name is made of. */
export type PartFile = { path: string; file: string; text: string };

/** What a plugin consists of. Variables in it are replaced. */
export type PluginParts = {
  name: string;
  version: string;
  description: string;
  root: string;
  commands: PartFile[];
  agents: PartFile[];
  skills: PartFile[];
  outputStyles: PartFile[];
  /** Tables of hooks, by event. */
  hooks: unknown[];
  /** Tables of MCP servers, by name. */
  servers: unknown[];
  /** Whether it is a JavaScript module of ours instead. */
  isModule: boolean;
  /** What of it has no effect here. */
  unused: string[];
  troubles: string[];
};

export type PluginFolder = {
  /** The name in the marketplace, if it comes from one. */
  name: string;
  root: string;
  files: readonly { name: string; content: Uint8Array }[];
  /** What the marketplace says about its parts. */
  entry: Readonly<Record<string, unknown>>;
  /** Whether the folder is a JavaScript module. */
  isModule: boolean;
};

/** Keys that only describe a plugin. */
const ABOUT = [
  ...['$schema', 'name', 'version', 'description', 'author', 'homepage', 'repository', 'license', 'keywords'],
  ...['category', 'tags', 'strict', 'displayName'],
];
/** Places that Claude Code reads and that have no effect here. */
const UNUSED_PLACES = ['.lsp.json', 'settings.json', 'monitors/', 'themes/', 'bin/'];
const MAX_TEXT = 256 * 1024;

export function readParts({ name, root, files, entry, isModule }: PluginFolder): PluginParts {
  const troubles: string[] = [];
  const disk = new PartDisk(files, root, troubles);
  const manifest = disk.json(MANIFEST);
  const hasParts = manifest !== null || COMPONENT_KEYS.some((key) => key in entry);
  const declared = manifest ?? {};
  if (manifest && manifest.name !== name && isPluginName(manifest.name))
    troubles.push(`It calls itself ${manifest.name}, but is listed as ${name}.`);
  const values = (key: string): unknown[] =>
    [declared[key], entry[key]].flatMap((value) =>
      value === undefined ? [] : Array.isArray(value) ? value : [value],
    );
  const common = {
    name,
    version: textOf(declared.version) || textOf(disk.json('package.json')?.version),
    description: textOf(declared.description),
    root,
  };
  if (!hasParts && isModule)
    return {
      ...common,
      commands: [],
      agents: [],
      skills: [],
      outputStyles: [],
      hooks: [],
      servers: [],
      isModule,
      unused: [],
      troubles,
    };
  return {
    ...common,
    commands: [
      ...disk.markdown(['commands/']),
      ...values('commands').flatMap((one) => disk.commands(one)),
    ].filter(isFirst),
    agents: [
      ...disk.markdown(['agents/']),
      ...values('agents').flatMap((one) => disk.markdownAt(one)),
    ].filter(isFirst),
    skills: [...disk.skills('skills'), ...values('skills').flatMap((one) => disk.skillsAt(one))].filter(
      isFirst,
    ),
    outputStyles: [
      ...disk.markdown(['output-styles/']),
      ...values('outputStyles').flatMap((one) => disk.markdownAt(one)),
    ].filter(isFirst),
    hooks: disk.tables('hooks/hooks.json', values('hooks')).map(hooksIn),
    servers: disk.tables('.mcp.json', values('mcpServers')).map(serversIn),
    isModule: false,
    unused: [
      ...Object.keys(declared).filter(
        (key) => !ABOUT.includes(key) && !COMPONENT_KEYS.some((one) => one === key),
      ),
      ...UNUSED_PLACES.filter((place) => disk.has(place)),
    ],
    troubles,
  };
}

function isFirst({ file, path: one }: PartFile, i: number, all: readonly PartFile[]): boolean {
  return all.findIndex((other) => other.file === file && other.path === one) === i;
}

/** A file with hooks may have other keys beside them. */
function hooksIn(value: unknown): unknown {
  return isObject(value) && isObject(value.hooks) ? value.hooks : value;
}

function serversIn(value: unknown): unknown {
  return isObject(value) && isObject(value.mcpServers) ? value.mcpServers : value;
}

/** The files of a plugin. Paths that a manifest names must stay in it. */
class PartDisk {
  readonly #files: Map<string, Uint8Array>;
  readonly #root: string;
  readonly #troubles: string[];

  constructor(files: PluginFolder['files'], root: string, troubles: string[]) {
    this.#files = new Map(files.map(({ name, content }) => [name, content]));
    this.#root = root;
    this.#troubles = troubles;
  }

  /** A file, or a folder if it ends with a slash. */
  has(place: string): boolean {
    return place.endsWith('/')
      ? [...this.#files.keys()].some((name) => name.startsWith(place))
      : this.#files.has(place);
  }

  json(name: string): Record<string, unknown> | null {
    const text = this.#text(name);
    if (text === null) return null;
    const value = parseObject(text);
    if (!value) this.#troubles.push(`${name} is not valid JSON.`);
    return value ?? {};
  }

  /** All Markdown files in these folders, named by their path below the folder. */
  markdown(folders: readonly string[]): PartFile[] {
    return folders.flatMap((folder) =>
      [...this.#files.keys()]
        .filter((name) => name.startsWith(folder) && name.endsWith('.md'))
        .flatMap((name) => this.#part(name, name.slice(folder.length))),
    );
  }

  /** A Markdown file or a folder of them, as a manifest names it. */
  markdownAt(written: unknown): PartFile[] {
    const place = this.#inside(written);
    if (place === null) return [];
    const name = place.replace(/\/$/, '');
    if (this.#files.has(name)) return this.#part(name, path.posix.basename(name));
    const prefix = name === '.' ? '' : `${name}/`;
    if (!this.has(`${name}/`) && name !== '.') this.#troubles.push(`There is no ${name}.`);
    return this.markdown([prefix]);
  }

  /** Also a table of names with a file or the text itself. */
  commands(written: unknown): PartFile[] {
    if (!isObject(written)) return this.markdownAt(written);
    return Object.entries(written).flatMap(([name, about]) => {
      if (!isObject(about)) return [];
      if (typeof about.content === 'string')
        return [
          {
            path: `${name}.md`,
            file: path.join(this.#root, `${name}.md`),
            text: this.#filled(about.content),
          },
        ];
      return this.markdownAt(about.source).map((part) => ({ ...part, path: `${name}.md` }));
    });
  }

  /** The skills in a folder, each in one of its own; or the folder is one. */
  skills(folder: string): PartFile[] {
    const prefix = folder === '.' || folder === '' ? '' : `${folder}/`;
    const own = this.#part(`${prefix}SKILL.md`, path.posix.basename(folder));
    if (own.length > 0) return own;
    return [...this.#files.keys()]
      .filter((name) => name.startsWith(prefix) && /^[^/]+\/SKILL\.md$/.test(name.slice(prefix.length)))
      .flatMap((name) => this.#part(name, path.posix.basename(path.posix.dirname(name))));
  }

  skillsAt(written: unknown): PartFile[] {
    const place = this.#inside(written);
    if (place === null) return [];
    const found = this.skills(place);
    if (found.length === 0) this.#troubles.push(`There are no skills in ${place}.`);
    return found;
  }

  /** The tables in the usual file, and in those that are named or written in place. */
  tables(usual: string, written: readonly unknown[]): unknown[] {
    const named = written.flatMap((one) => {
      if (isObject(one)) return [one];
      const place = this.#inside(one);
      if (place === null || place === usual) return [];
      if (!this.#files.has(place)) this.#troubles.push(`There is no ${place}.`);
      return [this.#table(place)];
    });
    return [this.#table(usual), ...named]
      .filter((one) => one !== undefined)
      .map((one) => this.#filledIn(one));
  }

  #table(name: string): unknown {
    const text = this.#text(name);
    if (text === null) return undefined;
    const value = parseJson(text);
    if (!isObject(value)) this.#troubles.push(`${name} is not valid JSON.`);
    return isObject(value) ? value : undefined;
  }

  #inside(written: unknown): string | null {
    const found = typeof written === 'string' ? insidePath(written) : 'it names something that is not a path';
    if (typeof found !== 'string') return found.path;
    this.#troubles.push(`Skipped a part: ${found}.`);
    return null;
  }

  #part(name: string, named: string): PartFile[] {
    const text = this.#text(name);
    return text === null
      ? []
      : [{ path: named, file: path.join(this.#root, name), text: this.#filled(text) }];
  }

  #text(name: string): string | null {
    const content = this.#files.get(name);
    if (!content) return null;
    if (content.length > MAX_TEXT) {
      this.#troubles.push(`Skipped ${name}: it is larger than ${MAX_TEXT / 1024} kB.`);
      return null;
    }
    return Buffer.from(content)
      .toString('utf8')
      .replace(/^\uFEFF/, '');
  }

  #filled(text: string): string {
    return text.replaceAll(/\$\{CLAUDE_PLUGIN_ROOT\}/g, () => this.#root);
  }

  #filledIn(value: unknown): unknown {
    if (typeof value === 'string') return this.#filled(value);
    if (Array.isArray(value)) return value.map((one) => this.#filledIn(one));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.#filledIn(inner)]));
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
