import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { programOf } from '../../frontends/server/background.ts';
import { serverFolder } from '../../frontends/server/server-record.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { dataRoot, homeFolder } from '../../lib/files/data-root.ts';
import { isErrno } from '../../lib/files/errno.ts';
import { serviceUnit } from '../schedule/units.ts';

const NAME = 'aca-serve.service';

/** `aca serve --install`: a unit that starts the server at login, with the same flags. */
export async function installUnit(args: readonly string[], terminal: Terminal): Promise<void> {
  const { env, stdout } = terminal;
  const file = unitFile(env);
  const root = dataRoot(env);
  const command = [...programOf(terminal), 'serve', ...args];
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(
    file,
    serviceUnit({
      description: 'ai-code-assistant server',
      command,
      folder: homeFolder(env),
      variables: { PATH: env.PATH ?? '', ...(env.AI_ASSISTANT_HOME && { AI_ASSISTANT_HOME: root }) },
    }),
  );
  stdout.write(
    [
      `Written: ${file}`,
      'Start it now and at every login:',
      '  systemctl --user daemon-reload && systemctl --user enable --now aca-serve',
      'Keep it running after you log out:',
      '  loginctl enable-linger',
      `Keys in environment variables are not available there: store them with aca keys set PROVIDER.`,
      'Without systemd, run this at login:',
      `  ${command.join(' ')} >> ${path.join(serverFolder(root), 'server.log')} 2>&1 &`,
      '',
    ].join('\n'),
  );
}

/** `aca serve --uninstall` */
export async function uninstallUnit({ env, stdout }: Terminal): Promise<void> {
  const file = unitFile(env);
  try {
    await rm(file);
    stdout.write(
      `Removed: ${file}\nStop the server, if systemd runs it:\n  systemctl --user disable --now aca-serve; systemctl --user daemon-reload\n`,
    );
  } catch (error) {
    if (!isErrno(error, ['ENOENT'])) throw error;
    stdout.write(`There is no unit: ${file}\n`);
  }
}

function unitFile(env: NodeJS.ProcessEnv): string {
  const config = env.XDG_CONFIG_HOME || path.join(homeFolder(env), '.config');
  return path.join(config, 'systemd', 'user', NAME);
}
