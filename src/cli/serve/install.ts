import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { findServer, serverFolder } from '../../frontends/server/server-record.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { programOf } from '../../frontends/shared/this-program.ts';
import { dataRoot, homeFolder } from '../../lib/files/data-root.ts';
import { isErrno } from '../../lib/files/errno.ts';
import { makeFolder } from '../../lib/files/make-folder.ts';
import { shellWord } from '../../lib/text/shell-quote.ts';
import { programOutside } from '../../sandbox/shell/program-path.ts';
import { runUserCommand } from '../../sandbox/shell/user-command.ts';
import { serviceUnit } from '../schedule/units.ts';

const NAME = 'aca-serve.service';
/** The server has this long to interrupt what runs and to save. */
const SYSTEMCTL_MS = 120_000;

/** `aca serve --install`: a unit that runs the server now and at every login, with the same flags. */
export async function installUnit(args: readonly string[], terminal: Terminal): Promise<void> {
  const { env, stdout } = terminal;
  const root = dataRoot(env);
  const command = [...programOf(terminal), 'serve', ...args];
  const systemctl = systemctlOf(terminal);
  if (!systemctl)
    throw new UserError(
      'There is no systemd on this machine.',
      `Run this at login instead: ${command.map(shellWord).join(' ')} >> ${shellWord(path.join(serverFolder(root), 'server.log'))} 2>&1 &`,
    );
  const isActive = (await systemctl(`is-active ${NAME}`)) === null;
  const running = isActive ? null : findServer(root);
  if (running)
    throw new UserError(
      `A server is already running (process ${running.process.pid}).`,
      'Stop it with `aca serve --stop`, then install the unit.',
    );
  const file = unitFile(env);
  makeFolder(path.dirname(file));
  await writeFile(
    file,
    serviceUnit({
      description: 'ai-code-assistant server',
      command,
      folder: homeFolder(env),
      variables: { PATH: env.PATH ?? '', ...(env.AI_ASSISTANT_HOME && { AI_ASSISTANT_HOME: root }) },
    }),
  );
  stdout.write(`Written: ${file}\n`);
  const problem =
    (await systemctl('daemon-reload')) ??
    (await systemctl(`enable --now ${NAME}`)) ??
    (isActive ? await systemctl(`restart ${NAME}`) : null);
  if (problem !== null)
    throw new UserError(
      `systemd did not start it: ${problem}.`,
      `In a login session of yours, run: systemctl --user daemon-reload && systemctl --user enable --now ${NAME}`,
    );
  stdout.write(
    [
      'The server runs now, and starts at every login. `aca serve link` prints a link to sign in.',
      'Keep it running after you log out: loginctl enable-linger',
      'Keys in environment variables are not available there: store them with `aca keys set PROVIDER`.',
      `Its log: journalctl --user -u ${NAME}`,
      '',
    ].join('\n'),
  );
}

/** `aca serve --uninstall`: stops the server, if the unit runs it, and removes the unit. */
export async function uninstallUnit(terminal: Terminal): Promise<void> {
  const { env, stdout } = terminal;
  const file = unitFile(env);
  const systemctl = systemctlOf(terminal) ?? (async () => 'there is no systemd on this machine');
  const isActive = (await systemctl(`is-active ${NAME}`)) === null;
  const problem = await systemctl(`disable --now ${NAME}`);
  try {
    await rm(file);
  } catch (error) {
    if (!isErrno(error, ['ENOENT'])) throw error;
    stdout.write(`There is no unit: ${file}\n`);
    return;
  }
  await systemctl('daemon-reload');
  stdout.write(`Removed: ${file}\n`);
  if (isActive && problem !== null)
    throw new UserError(`systemd did not stop the server: ${problem}.`, 'Stop it with `aca serve --stop`.');
  if (isActive) stdout.write('The server has stopped. Its sessions are saved.\n');
}

/** Runs `systemctl --user`; resolves with what went wrong, or null. Null if this machine has no systemd. */
function systemctlOf({ env, cwd }: Terminal): ((args: string) => Promise<string | null>) | null {
  const program = programOutside('systemctl', cwd, env);
  if (program === null) return null;
  return async (args) => {
    const command = `${shellWord(program)} --user ${args}`;
    const ended = await runUserCommand({ command, cwd, env, timeoutMs: SYSTEMCTL_MS });
    return ended.type === 'failed' ? ended.because.replace(/\.$/, '') : null;
  };
}

function unitFile(env: NodeJS.ProcessEnv): string {
  const config = env.XDG_CONFIG_HOME || path.join(homeFolder(env), '.config');
  return path.join(config, 'systemd', 'user', NAME);
}
