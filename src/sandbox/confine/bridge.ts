import { LEFT_RUNNING, MAX_LEFT_NAMED } from './exact-ending.ts';
import type { CommandLine } from './launch.ts';

/** Our proxy's socket on the host; inside it is at `bridgeSocket`. */
export type Bridge = { socket: string };

/** Defined by the build of the standalone binary: its target platform. */
declare const ACA_BINARY: string | undefined;

export const bridgeSocket = '/tmp/.ai-assistant-proxy.sock';
/** A standalone binary has no `-e`; this as its first argument makes it run the script below. */
export const bridgeArgument = '--as-bridge';
const PORT = 3128;

/**
 * Runs inside the sandbox, where only loopback exists: listens there as a proxy, forwards every connection to
 * the socket, and runs the command. Reports the exit status as bash would (see `exact-ending.ts`).
 */
export const bridgeScript = `
const { createServer, connect } = require('node:net');
const { spawn } = require('node:child_process');
const { constants } = require('node:os');
const { readdirSync, readFileSync } = require('node:fs');
const [socket, shell, command] = process.argv.slice(-3);
const leftRunning = () => readdirSync('/proc').filter((name) => name > 1 && name != process.pid).flatMap((pid) => {
  try {
    const line = readFileSync('/proc/' + pid + '/cmdline', 'utf8').split('\\0').join(' ').trim();
    return line === '' ? [] : ['${LEFT_RUNNING}' + line.replace(/\\s+/g, ' ').slice(0, 100) + '\\n'];
  } catch { return []; }
}).slice(0, ${MAX_LEFT_NAMED}).join('');
for (const name of ['SIGHUP', 'SIGINT', 'SIGTERM', 'SIGUSR2']) process.on(name, () => {});
const server = createServer({ allowHalfOpen: true }, (inside) => {
  const outside = connect({ path: socket, allowHalfOpen: true });
  inside.pipe(outside).pipe(inside);
  inside.on('error', () => outside.destroy());
  outside.on('error', () => inside.destroy());
});
server.listen(${PORT}, '127.0.0.1', () => {
  const proxy = 'http://127.0.0.1:${PORT}';
  const env = { ...process.env, NODE_USE_ENV_PROXY: '1' };
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']) env[name] = env[name.toLowerCase()] = proxy;
  env.NO_PROXY = env.no_proxy = 'localhost,127.0.0.1,::1';
  const child = spawn(shell, ['-c', command], { env, stdio: [0, 1, 3] });
  child.on('error', (error) => { process.stderr.write('bwrap: ' + error.message + '\\n'); process.exit(1); });
  child.on('exit', (code, signal) => {
    const number = code ?? 128 + constants.signals[signal];
    process.stderr.write(leftRunning() + (code === null ? '[1]+  ' + signal + ' \\n' : '[1]+  Exit ' + code + ' \\n'), () => process.exit(number));
  });
});
`;

export function bridgeCommand({ command, shell }: Pick<CommandLine, 'command' | 'shell'>): string[] {
  const asBridge = typeof ACA_BINARY === 'string' ? [bridgeArgument] : ['-e', bridgeScript, '--'];
  return [process.execPath, ...asBridge, bridgeSocket, shell.file, command];
}
