import { Command, InvalidArgumentError, Option } from 'commander';
import type { SessionOptions } from '../../app/options.ts';
import { modesByStrictness } from '../../config/schema/schema.ts';
import { UserError } from '../../contract/errors.ts';
import type { ServerOptions } from '../../frontends/server/http/types.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { withContext } from './context.ts';
import { addAccessCommands } from './serve-access.ts';

type ServeFlags = Pick<SessionOptions, 'model' | 'mode' | 'offline' | 'allow' | 'deny'> & {
  listen?: string;
  port?: number;
  allowHost: string[];
  tlsCert?: string;
  tlsKey?: string;
  tls?: true;
  behindProxy?: true;
  install?: true;
  uninstall?: true;
  status?: true;
  stop?: true;
};

const collect = (value: string, previous: string[]) => [...previous, value];

/** `aca serve`: sessions that outlive their terminal. */
export function serveCommand(terminal: Terminal): Command {
  const command = withContext(new Command('serve'), terminal)
    .description('Keep sessions running without a terminal, for browsers, editors and `aca attach`')
    .option('--status', 'show the running server and its sessions')
    .option('--stop', 'stop the running server; its sessions are saved')
    .option('--install', 'run the server now and at every login, as a systemd user unit')
    .option('--uninstall', 'stop it, and remove that unit')
    .option('--listen <address[:port]>', 'listen on this address (default: 127.0.0.1); others use TLS')
    .addOption(
      new Option('--port <port>', 'the same as --listen 127.0.0.1:<port>')
        .conflicts('listen')
        .argParser(portNumber),
    )
    .option(
      '--allow-host <name[:port]>',
      'accept this name of the server, such as of a reverse proxy; repeatable',
      collect,
      [],
    )
    .option('--tls-cert <file>', 'use this certificate (PEM), with --tls-key')
    .option('--tls-key <file>', 'the key of --tls-cert (PEM)')
    .option('--tls', 'use TLS with a certificate of its own, also on this machine')
    .option('--behind-proxy', 'trust the X-Forwarded-For header of a reverse proxy on this machine')
    .option('-m, --model <provider/model>', 'model of new sessions (default: as in a terminal)')
    .addOption(new Option('--mode <mode>', 'what runs without asking').choices(modesByStrictness))
    .option('--offline', 'use only models on this machine, and no network')
    .option('--allow <rule>', 'allow calls that match, such as `Bash(npm test)`; repeatable', collect, [])
    .option('--deny <rule>', 'deny calls that match; repeatable', collect, [])
    .action(async (flags: ServeFlags, command: Command) => {
      const { install, uninstall, status, stop } = flags;
      if (status) return (await import('../serve/control.ts')).showStatus(terminal);
      if (stop) return (await import('../serve/control.ts')).stopServer(terminal);
      if (install) return (await import('../serve/install.ts')).installUnit(argsOf(command), terminal);
      if (uninstall) return (await import('../serve/install.ts')).uninstallUnit(terminal);
      return serve(flags, terminal);
    });
  return addAccessCommands(command, terminal);
}

async function serve(flags: ServeFlags, terminal: Terminal): Promise<void> {
  const { port, allowHost, behindProxy } = flags;
  const listen = port === undefined ? flags.listen : `127.0.0.1:${port}`;
  const { model, mode, offline, allow, deny } = flags;
  const { runServer } = await import('../../frontends/server/run.ts');
  const { announce } = await import('../serve/control.ts');
  const tls = tlsOf(flags);
  await runServer(
    {
      session: {
        allow,
        deny,
        budget: [],
        addDir: [],
        ...(model !== undefined && { model }),
        ...(mode !== undefined && { mode }),
        ...(offline && { offline }),
      },
      door: {
        allowHosts: allowHost,
        ...(listen !== undefined && { listen }),
        ...(tls && { tls }),
        ...(behindProxy && { behindProxy }),
      },
      onListening: (server) => announce(server, terminal),
    },
    terminal,
  );
}

function tlsOf({ tls, tlsCert: cert, tlsKey: key }: ServeFlags): ServerOptions['tls'] {
  if (cert !== undefined && key !== undefined) return { cert, key };
  if (cert !== undefined || key !== undefined)
    throw new UserError(
      '--tls-cert and --tls-key belong together.',
      'Pass both, or use --tls for a generated certificate.',
    );
  return tls && 'own';
}

/** The flags as they were typed, without the one that installs them. */
function argsOf(command: Command): string[] {
  return command.options.flatMap((option) => {
    const name = option.attributeName();
    if (name === 'install' || command.getOptionValueSource(name) !== 'cli') return [];
    const values: unknown[] = [command.getOptionValue(name)].flat();
    return values.flatMap((value) => [option.long ?? '', ...(value === true ? [] : [String(value)])]);
  });
}

function portNumber(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('Give a number from 0 to 65535; 0 chooses a free port.');
}
