import { Command } from 'commander';
import { startServers } from '../../../app/opening/start-servers.ts';
import { loadSettings } from '../../../app/settings.ts';
import type { Config } from '../../../config/schema/schema.ts';
import { UserError } from '../../../contract/errors.ts';
import type { Terminal } from '../../../frontends/shared/terminal.ts';
import { openNetwork } from '../../../lib/network/network.ts';
import { didYouMean } from '../../../lib/text/nearest.ts';
import { visible } from '../../../lib/text/printable.ts';
import type { Connection } from '../../../mcp/connection/connection.ts';
import { addressOf, transportOf } from '../../../mcp/settings.ts';
import { portNumber } from '../../args.ts';
import { table, withContext } from '../context.ts';
import { type AddOptions, addServer, removeServer } from './change.ts';
import type { ServeOptions } from './serve.ts';

export function mcpCommand(terminal: Terminal): Command {
  const { stdout } = terminal;
  const print = (text: string) => void stdout.write(text === '' ? '' : `${text}\n`);
  const command = withContext(new Command('mcp'), terminal)
    .description('Manage MCP servers, which provide tools, resources and prompts')
    .enablePositionalOptions();

  addOptions(command.command('add'))
    .description('Add a server: a program with its arguments, or a URL')
    .argument('<name>', 'name of the server')
    .argument('<command-or-url>', 'program to run, or a URL starting with http')
    .argument('[args...]', 'arguments for the program')
    .action(async (name: string, place: string, args: string[], before: AddOptions) => {
      const { args: words, options } = readOptions([place, ...args], before, terminal);
      const [program = '', ...rest] = words;
      print(await addServer({ name, place: program, args: rest, options }, terminal));
    });

  command
    .command('remove')
    .description('Remove a server')
    .argument('<name>', 'name of the server')
    .option('--project', "remove it from this project's .mcp.json")
    .action(async (name: string, options: { project?: true }) =>
      print(await removeServer(name, options, terminal)),
    );

  command
    .command('list')
    .description('List servers without starting them')
    .action(() => print(listServers(terminal)));

  command
    .command('test')
    .description('Start servers, show what they provide, and approve their current tools')
    .argument('[name]', 'name of the server (default: all)')
    .action(async (name: string | undefined) => testServers(name, terminal));

  command
    .command('login')
    .description('Log in to an HTTP server')
    .argument('<name>', 'name of the server')
    .action(async (name: string) => {
      await login(name, terminal);
      print(`Logged in to ${name}.`);
    });

  command
    .command('logout')
    .description('Log out of a server')
    .argument('<name>', 'name of the server')
    .action(async (name: string) => print(await logout(name, terminal)));

  command
    .command('serve')
    .description("Run as an MCP server that offers the assistant's tools and run_task")
    .option('--http [port]', 'serve over HTTP on localhost with a token (default: standard input and output)')
    .option('-m, --model <model>', 'model for run_task')
    .option('--mode <mode>', 'permission mode; calls that would need approval are denied')
    .option('--allow <rule>', 'allow matching tool calls; repeatable', collect, [])
    .option('--deny <rule>', 'deny matching tool calls; repeatable', collect, [])
    .option('--add-dir <folder>', 'an additional folder to work in; repeatable', collect, [])
    .option('--trust', "trust this folder's settings")
    .option('--metrics-port <port>', 'serve Prometheus metrics on this local port', portNumber)
    .action(async (options: ServeOptions) => {
      const { serve } = await import('./serve.ts');
      await serve(options, terminal);
    });

  return command;
}

/** Everything after the program's name is passed to the program. */
function addOptions(command: Command): Command {
  return command
    .option('-t, --transport <kind>', 'stdio, http or sse (default: http for a URL, stdio for a program)')
    .option('-e, --env <name=value>', 'environment variable for the program; repeatable', collect, [])
    .option(
      '-H, --header <header>',
      "HTTP header for each request, such as 'X-Key: abc'; repeatable",
      collect,
      [],
    )
    .option('--cwd <folder>', 'folder to start the program in')
    .option('--project', "add it to this project's .mcp.json, shared with everyone who works on it")
    .passThroughOptions();
}

type Words = { args: string[]; options: AddOptions };

/** Options may also be between the name and the program, and after a URL, which takes no arguments. */
function readOptions(words: string[], before: AddOptions, terminal: Terminal): Words {
  const inner = addOptions(withContext(new Command('add'), terminal)).argument('[words...]');
  inner.parse(words, { from: 'user' });
  const after = inner.opts<AddOptions>();
  const options: AddOptions = {
    ...before,
    ...after,
    env: [...before.env, ...after.env],
    header: [...before.header, ...after.header],
  };
  const [first = '', ...rest] = inner.args;
  if (!/^https?:/i.test(first) || rest.length === 0) return { args: inner.args, options };
  const behind = readOptions(rest, options, terminal);
  return { args: [first, ...behind.args], options: behind.options };
}

function collect(value: string, previous: string[]): string[] {
  return [...previous, value];
}

function listServers(terminal: Terminal): string {
  const { config, origins, notices } = loadSettings({}, terminal);
  for (const notice of notices) terminal.stderr.write(`${visible(notice)}\n`);
  const rows = Object.entries(config.mcpServers).map(([name, server]) => [
    name,
    server.disabled ? 'off' : transportOf(server),
    visible(addressOf(server)),
    Object.entries(origins).find(([key]) => key.startsWith(`mcpServers.${name}.`))?.[1] ?? '',
  ]);
  return rows.length === 0 ? 'No MCP servers. Add one with `aca mcp add`.' : table(rows).trimEnd();
}

async function testServers(wanted: string | undefined, terminal: Terminal): Promise<void> {
  const settings = loadSettings({}, terminal);
  const { stdout, stderr } = terminal;
  for (const notice of settings.notices) stderr.write(`${visible(notice)}\n`);
  const all = settings.config.mcpServers;
  const mcpServers = wanted === undefined ? all : { [wanted]: serverNamed(wanted, all) };
  const servers = await startServers({ ...settings, config: { ...settings.config, mcpServers } }, terminal);
  if (!servers) return void stdout.write('No MCP servers. Add one with `aca mcp add`.\n');
  try {
    const { hub } = servers;
    hub.onNotice(() => undefined);
    await Promise.all(hub.connections.map((connection) => connection.start()));
    await hub.settled(0);
    for (const connection of hub.connections) stdout.write(`${visible(report(connection))}\n`);
    // The user who ran this command has seen them.
    for (const { name, offers } of hub.connections) await hub.seen.agree(name, offers.tools);
    const failed = hub.connections.filter(
      ({ phase, settings: { disabled } }) => !disabled && phase !== 'ready',
    );
    if (failed.length > 0) {
      const names = failed.map(({ name }) => name).join(', ');
      throw new UserError(`Not connected: ${names}.`, 'Fix the problem and test again.', { exit: 'error' });
    }
  } finally {
    await servers.close();
  }
}

function report({ name, settings, phase, trouble, offers, log }: Connection): string {
  const head = `${name}  ${phase === 'ready' ? 'ready' : [phase, trouble].filter(Boolean).join(': ')}  (${transportOf(settings)}: ${addressOf(settings)})`;
  const indented = (text: string) => text.replaceAll('\n', '\n      ');
  return [
    head,
    ...offers.tools.map(
      (tool) =>
        `  ${name}:${tool.name}${tool.readOnly ? '  (read-only)' : ''}\n      ${indented(tool.description)}`,
    ),
    ...offers.resources.map(({ uri, name: title }) => `  @${name}:${uri}  ${title}`),
    ...offers.prompts.map((prompt) => `  /${name}:${prompt.name}  ${indented(prompt.description)}`),
    ...(phase === 'ready' ? [] : log.map((line) => `  ${line}`)),
  ].join('\n');
}

async function login(name: string, terminal: Terminal): Promise<void> {
  const { config, root: dataRoot } = loadSettings({}, terminal);
  const server = serverNamed(name, config.mcpServers);
  const { env, stderr } = terminal;
  const stop = new AbortController();
  terminal.onSignal('SIGINT', () => stop.abort(new UserError('Login cancelled.', 'Nothing was changed.')));
  const { loginTo } = await import('../../../mcp/server-actions.ts');
  const { fetch } = await openNetwork(env, config.network);
  await loginTo(
    { name, settings: server },
    { env, dataRoot, fetch },
    {
      show: (url) => void stderr.write(`If your browser does not open, log in here:\n${visible(url)}\n`),
      signal: stop.signal,
    },
  );
}

async function logout(name: string, terminal: Terminal): Promise<string> {
  const { config, root: dataRoot } = loadSettings({}, terminal);
  const settings = serverNamed(name, config.mcpServers);
  const { logoutFrom } = await import('../../../mcp/server-actions.ts');
  const was = await logoutFrom({ name, settings }, { env: terminal.env, dataRoot });
  return was ? `Logged out of ${name}.` : `You were not logged in to ${name}.`;
}

function serverNamed(name: string, servers: Config['mcpServers']): Config['mcpServers'][string] {
  const server = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (!server) {
    throw new UserError(
      `There is no MCP server ${name}.${didYouMean(name, Object.keys(servers))}`,
      'Run `aca mcp list` to see all servers.',
    );
  }
  return server;
}
