import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { isObject } from '../../lib/text/json.ts';
import { withoutPasswords } from '../../lib/text/url-password.ts';

/** A git repository: its address, a branch or tag, an exact commit, and a folder in it. */
export type GitSource = { type: 'git'; url: string; ref?: string; sha?: string; folder?: string };

/** Where a marketplace comes from. */
export type MarketplaceSource = { type: 'folder'; path: string } | GitSource;

/** Where a plugin comes from: a folder of its marketplace, or a repository of its own. */
export type PluginSource = { type: 'inside'; path: string } | GitSource;

const REPOSITORY = /^[\w][\w.-]*\/[\w][\w.-]*$/;
const REF = /^[\w][\w./-]*$/;
const SHA = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

/** As a user writes it: a folder, a git URL or `owner/name`, the last two with an optional `#ref`. */
export function marketplaceSource(written: string, resolve: (path: string) => string): MarketplaceSource {
  const text = written.trim();
  if (/^[./~]|^[A-Za-z]:[\\/]/.test(text)) return { type: 'folder', path: folderOf(resolve(text)) };
  const at = text.lastIndexOf('#');
  const [address, ref] = at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
  const url = REPOSITORY.test(address) ? githubUrl(address) : address;
  const problem = gitProblem({ type: 'git', url, ...(ref !== undefined && { ref }) });
  if (problem !== null) throw new UserError(`${written}: ${problem}`, EXAMPLES);
  return { type: 'git', url, ...(ref !== undefined && { ref }) };
}

const EXAMPLES =
  'Use a folder such as ./plugins, a repository on GitHub such as owner/name, or the address of a git repository.';

/** The file itself may be named, too. */
function folderOf(place: string): string {
  if (path.basename(place) !== 'marketplace.json') return place;
  const folder = path.dirname(place);
  return path.basename(folder) === '.claude-plugin' ? path.dirname(folder) : folder;
}

/** The `source` of a plugin in a marketplace file; or a message that says why it cannot be used. */
export function pluginSource(written: unknown, pluginRoot = ''): PluginSource | string {
  if (typeof written === 'string') {
    const isNested = pluginRoot !== '' && !written.startsWith('./');
    return insidePath(isNested ? `${pluginRoot}/${written}` : written);
  }
  if (!isObject(written)) return 'its source is neither a path nor a table';
  const { source, ref, sha, path: folder } = written;
  const optional = {
    ...(typeof ref === 'string' && { ref }),
    ...(typeof sha === 'string' && { sha: sha.toLowerCase() }),
  };
  switch (source) {
    case 'github': {
      if (typeof written.repo !== 'string' || !REPOSITORY.test(written.repo))
        return 'its repo is not of the form owner/name';
      return checked({ type: 'git', url: githubUrl(written.repo), ...optional });
    }
    case 'url':
      return checked({ type: 'git', url: String(written.url), ...optional });
    case 'git-subdir': {
      const inside = insidePath(`./${String(folder)}`);
      if (typeof inside === 'string') return inside;
      const url = REPOSITORY.test(String(written.url)) ? githubUrl(String(written.url)) : String(written.url);
      return checked({ type: 'git', url, ...optional, folder: inside.path });
    }
    default:
      return `plugins from ${String(source)} cannot be installed; use a folder or a git repository`;
  }
}

function checked(source: GitSource): GitSource | string {
  return gitProblem(source) ?? source;
}

/** A path relative to a folder that stays in it. */
export function insidePath(written: string): { type: 'inside'; path: string } | string {
  const clean = path.posix.normalize(written.replaceAll('\\', '/'));
  const isOut = clean === '..' || clean.startsWith('../') || clean.startsWith('/') || /^[a-z]:/i.test(clean);
  if (isOut || hasOddCharacters(written)) return `the path ${JSON.stringify(written)} leads out of it`;
  return { type: 'inside', path: clean.replace(/\/$/, '') };
}

/** Why git must not be given this address; null if it may. */
function gitProblem({ url, ref, sha }: GitSource): string | null {
  if (hasOddCharacters(url) || url.startsWith('-')) return 'it is not a git address';
  if (ref !== undefined && (!REF.test(ref) || ref.includes('..')))
    return `${JSON.stringify(ref)} is not a branch or tag`;
  if (sha !== undefined && !SHA.test(sha)) return `${JSON.stringify(sha)} is not the id of a commit`;
  if (/^[\w.-]+@[\w.-]+:[\w~./-]+$/.test(url)) return null;
  if (!URL.canParse(url)) return 'it is neither a folder nor a git address';
  const { protocol, password, hostname } = new URL(url);
  if (password !== '') return 'it contains a password; store it in a credential helper of git instead';
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  if (['https:', 'ssh:', 'file:'].includes(protocol)) return null;
  if (['http:', 'git:'].includes(protocol))
    return isLocal ? null : 'it is not encrypted, so anybody on the way could change it; use https';
  return `git addresses that start with ${protocol} are not used`;
}

function githubUrl(repository: string): string {
  return `https://github.com/${repository.replace(/\.git$/, '')}.git`;
}

function hasOddCharacters(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is searched for.
  return text === '' || /[\u0000-\u0020\u007f-\u009f]/.test(text);
}

/** As a user would write it, without passwords. */
export function sourceText(source: MarketplaceSource): string {
  if (source.type === 'folder') return source.path;
  const url = withoutPasswords(source.url);
  return source.ref === undefined ? url : `${url}#${source.ref}`;
}
