import { Command } from 'commander';
import { startServers } from '../../app/open-assistant.ts';
import { loadSettings } from '../../app/settings.ts';
import type { Config } from '../../config/schema/schema.ts';
import { UserError } from '../../contract/errors.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { openNetwork } from '../../lib/network/network.ts';
import { didYouMean } from '../../lib/text/nearest.ts';
import { visible } from '../../lib/text/printable.ts';
import type { Connection } from '../../mcp/connection/connection.ts';
import { addressOf, transportOf } from '../../mcp/settings.ts';
import { portNumber } from '../args.ts';
import { table, withContext } from './context.ts';
import { type AddOptions, addServer, removeServer } from './mcp-change.ts';
import type { ServeOptions } from './mcp-serve.ts';

export function mcpCommand(terminal: Terminal): Command {
  const { stdout } = terminal;
  const print = (text: string) => void stdout.write(text === '' ? '' : `${text}\n`);
  const command = withContext(new Command('mcp'), terminal)
    .description('MCP servers: programs and addresses that bring tools, resources and prompts')
    .enablePositionalOptions();

  addOptions(command.command('add'))
    .description('Set a server up: a program with its arguments, or an address')
    .argument('<name>', 'what to call it')
    .argument('<command-or-url>', 'the program, or an address beginning with http')
    .argument('[args...]', 'arguments of the program')
    .action(async (name: string, place: string, args: string[], before: AddOptions) => {
      const { args: words, options } = readOptions([place, ...args], before, terminal);
      const [program = '', ...rest] = words;
      print(await addServer({ name, place: program, args: rest, options }, terminal));
    });

  command
    .command('remove')
    .description('Take a server out')
    .argument('<name>', 'which one')
    .option('--project', 'from .mcp.json of this project')
    .action(async (name: string, options: { project?: true }) =>
      print(await removeServer(name, options, terminal)),
    );

  command
    .command('list')
    .description('List the servers, without starting them')
    .action(() => print(listServers(terminal)));

  command
    .command('test')
    .description('Start servers, show what they offer, and agree to their tools as they are described now')
    .argument('[name]', 'which one; without it, all')
    .action(async (name: string | undefined) => testServers(name, terminal));

  command
    .command('login')
    .description('Log in to a server that is reached by HTTP')
    .argument('<name>', 'which one')
    .action(async (name: string) => {
      await login(name, terminal);
      print(`Logged in to ${name}.`);
    });

  command
    .command('logout')
    .description('Forget the login to a server')
    .argument('<name>', 'which one')
    .action(async (name: string) => print(await logout(name, terminal)));

  command
    .command('serve')
    .description('Offer the tools of this assistant, and run_task, to other programs')
    .option(
      '--http [port]',
      'over HTTP, for this machine only and with a token; without it, over standard input',
    )
    .option('-m, --model <model>', 'the model for run_task')
    .option('--mode <mode>', 'what may happen; what would be asked is refused')
    .option('--allow <rule>', 'allow calls; repeatable', collect, [])
    .option('--deny <rule>', 'refuse calls; repeatable', collect, [])
    .option('--add-dir <folder>', 'an additional folder to work in; repeatable', collect, [])
    .option('--trust', "accept this folder's own settings")
    .option('--metrics-port <port>', 'serve Prometheus metrics on this local port', portNumber)
    .action(async (options: ServeOptions) => {
      const { serve } = await import('./mcp-serve.ts');
      await serve(options, terminal);
    });

  return command;
}

/** Everything after the program's name is passed to the program. */
function addOptions(command: Command): Command {
  return command
    .option('-t, --transport <kind>', 'stdio, http or sse; without it, http for an address')
    .option('-e, --env <name=value>', 'an environment variable for it; repeatable', collect, [])
    .option(
      '-H, --header <header>',
      "a header for each request, such as 'X-Key: abc'; repeatable",
      collect,
      [],
    )
    .option('--cwd <folder>', 'the folder it is started in')
    .option('--project', 'in .mcp.json of this project, for everybody who works on it')
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
      throw new UserError(`Not connected: ${names}.`, 'Correct it and test again.', { exit: 'error' });
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
        `  ${name}:${tool.name}${tool.readOnly ? '  (only looks)' : ''}\n      ${indented(tool.description)}`,
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
  terminal.onSignal('SIGINT', () =>
    stop.abort(new UserError('The login was stopped.', 'Nothing was changed.')),
  );
  const { loginTo } = await import('../../mcp/desk.ts');
  const { fetch } = await openNetwork(env, config.network);
  await loginTo(
    { name, settings: server },
    { env, dataRoot, fetch },
    {
      show: (url) => void stderr.write(`Log in here, if no browser opens:\n${visible(url)}\n`),
      signal: stop.signal,
    },
  );
}

async function logout(name: string, terminal: Terminal): Promise<string> {
  const { config, root: dataRoot } = loadSettings({}, terminal);
  const settings = serverNamed(name, config.mcpServers);
  const { logoutFrom } = await import('../../mcp/desk.ts');
  const was = await logoutFrom({ name, settings }, { env: terminal.env, dataRoot });
  return was ? `The login to ${name} is forgotten.` : `Nobody was logged in to ${name}.`;
}

function serverNamed(name: string, servers: Config['mcpServers']): Config['mcpServers'][string] {
  const server = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (!server) {
    throw new UserError(
      `There is no MCP server ${name}.${didYouMean(name, Object.keys(servers))}`,
      '`aca mcp list` lists them.',
    );
  }
  return server;
}
