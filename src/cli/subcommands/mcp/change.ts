import path from 'node:path';
import { readConfigFile, readSmallFile } from '../../../config/config-file.ts';
import { editText, setValue } from '../../../config/edit.ts';
import { userConfigFile } from '../../../config/load.ts';
import { MCP_FILE, parseMcpFile } from '../../../config/mcp-file.ts';
import { mcpServer, mcpServerName } from '../../../config/schema/mcp-server.ts';
import { projectRoot } from '../../../config/trust.ts';
import { UserError } from '../../../contract/errors.ts';
import type { Terminal } from '../../../frontends/shared/terminal.ts';
import { dataRoot } from '../../../lib/files/data-root.ts';
import { updateFile, userFile } from '../../../lib/files/file-update.ts';

export type AddOptions = {
  transport?: string;
  env: string[];
  header: string[];
  cwd?: string;
  project?: true;
};

type Wanted = { name: string; place: string; args: string[]; options: AddOptions };

const EXAMPLES =
  'For example: aca mcp add files npx -y @modelcontextprotocol/server-filesystem . — or: aca mcp add docs https://example.org/mcp';

/** Adds a server to the settings; does not start it. */
export async function addServer({ name, place, args, options }: Wanted, terminal: Terminal): Promise<string> {
  const { transport, cwd } = options;
  const isAddress = transport === undefined ? /^https?:\/\//i.test(place) : transport !== 'stdio';
  const env = pairs(options.env, '=', '--env NAME=value');
  const headers = pairs(options.header, ':', "--header 'Name: value'");
  const parsed = mcpServer().safeParse({
    ...(transport !== undefined && { type: transport }),
    ...(isAddress ? { url: place } : { command: place }),
    ...(args.length > 0 && { args }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(cwd !== undefined && { cwd: path.resolve(terminal.cwd, cwd) }),
  });
  if (!mcpServerName().safeParse(name).success)
    throw new UserError(`${name} is not a valid server name.`, 'Use letters, digits, ".", "_" and "-".');
  if (!parsed.success) throw new UserError(`Invalid server: ${parsed.error.issues[0]?.message}.`, EXAMPLES);
  if (isAddress && args.length > 0) throw new UserError('A URL takes no arguments.', EXAMPLES);
  const file = placeOf(options, terminal);
  await write({ file, name, server: parsed.data }, terminal);
  return `Added ${name} to ${file}. Test it with \`aca mcp test ${name}\`.`;
}

export async function removeServer(
  name: string,
  options: { project?: true },
  terminal: Terminal,
): Promise<string> {
  const file = placeOf(options, terminal);
  const isThere = options.project
    ? Object.hasOwn(parseMcpFile(textOf(file), file).servers, name)
    : Object.hasOwn(readConfigFile(file)?.input.mcpServers ?? {}, name);
  if (!isThere) {
    throw new UserError(
      `${file} has no MCP server ${name}.`,
      'Run `aca mcp list` to see where each server is configured; use --project for .mcp.json.',
    );
  }
  await write({ file, name, server: undefined }, terminal);
  return `Removed ${name} from ${file}.`;
}

function placeOf({ project }: { project?: true }, { cwd, env }: Terminal): string {
  return project ? path.join(projectRoot(cwd), MCP_FILE) : userConfigFile(dataRoot(env));
}

type Entry = { file: string; name: string; server: unknown };

async function write({ file, name, server }: Entry, { env }: Terminal): Promise<void> {
  const keyPath = ['mcpServers', name];
  if (path.basename(file) !== MCP_FILE) return void (await setValue(file, keyPath, server));
  await updateFile(userFile(dataRoot(env), file), (replace) =>
    replace(editText(textOf(file), keyPath, server), { mode: 0o644 }),
  );
}

function textOf(file: string): string {
  return readSmallFile(file) ?? '';
}

function pairs(words: readonly string[], sign: string, example: string): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf(sign);
      if (at < 1) throw new UserError(`"${word}" has no "${sign}".`, `Use ${example}.`);
      return [word.slice(0, at).trim(), sign === ':' ? word.slice(at + 1).trim() : word.slice(at + 1)];
    }),
  );
}
