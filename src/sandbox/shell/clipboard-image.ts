import { execFile } from 'node:child_process';
import { homedir } from 'node:os';

/** A program that prints the image, and how to parse its output. */
type ClipboardReader = { command: string; args: readonly string[]; read(printed: Buffer): Buffer };

type Env = Readonly<Record<string, string | undefined>>;

export type ClipboardImage =
  | { type: 'image'; bytes: Buffer }
  /** None of the required programs is installed. */
  | { type: 'unreachable'; programs: readonly string[] }
  | { type: 'none' };

const PATIENCE_MS = 5_000;
const MAX_BYTES = 64 * 1024 * 1024;

const asPrinted = (printed: Buffer) => printed;

/** The image in the clipboard, read with the system's own programs. */
export async function clipboardImage(
  env: Env,
  platform: NodeJS.Platform = process.platform,
): Promise<ClipboardImage> {
  const readers = readersFor(env, platform);
  let reached = false;
  for (const { command, args, read } of readers) {
    const printed = await printedBy(command, { args, env });
    if (printed === null) continue;
    reached = true;
    const bytes = read(printed);
    if (bytes.length > 0) return { type: 'image', bytes };
  }
  return reached
    ? { type: 'none' }
    : { type: 'unreachable', programs: readers.map(({ command }) => command) };
}

/** The programs to try, in order. */
function readersFor(env: Env, platform: NodeJS.Platform): ClipboardReader[] {
  if (platform === 'darwin') return [appleScript];
  if (platform === 'win32') return [powerShell('powershell')];
  return [
    ...(env.WSL_DISTRO_NAME ? [powerShell('powershell.exe')] : []),
    ...(env.WAYLAND_DISPLAY ? [{ command: 'wl-paste', args: ['--type', 'image/png'], read: asPrinted }] : []),
    {
      command: 'xclip',
      args: ['-selection', 'clipboard', '-target', 'image/png', '-out'],
      read: asPrinted,
    },
  ];
}

/** Prints `«data PNGf89504E47…»`. */
const appleScript: ClipboardReader = {
  command: 'osascript',
  args: ['-e', 'get the clipboard as «class PNGf»'],
  read: (printed) => Buffer.from(/PNGf([0-9A-F]*)/.exec(printed.toString('latin1'))?.[1] ?? '', 'hex'),
};

function powerShell(command: string): ClipboardReader {
  const script = [
    'Add-Type -AssemblyName System.Windows.Forms,System.Drawing',
    '$image = [System.Windows.Forms.Clipboard]::GetImage()',
    'if ($image) { $bytes = New-Object System.IO.MemoryStream',
    '$image.Save($bytes, [System.Drawing.Imaging.ImageFormat]::Png)',
    '[Convert]::ToBase64String($bytes.ToArray()) }',
  ].join('; ');
  return {
    command,
    args: ['-NoProfile', '-NonInteractive', '-STA', '-Command', script],
    read: (printed) => Buffer.from(printed.toString('latin1'), 'base64'),
  };
}

/** Null if there is no such program; empty if it failed, as it does without an image. */
function printedBy(
  command: string,
  { args, env }: { args: readonly string[]; env: Env },
): Promise<Buffer | null> {
  // Not in the project folder, which could contain a program of that name.
  const options = {
    cwd: homedir(),
    env: { ...env },
    encoding: 'buffer' as const,
    timeout: PATIENCE_MS,
    maxBuffer: MAX_BYTES,
    windowsHide: true,
  };
  return new Promise((resolve) => {
    execFile(command, args, options, (error, stdout) => {
      if (error?.code === 'ENOENT') resolve(null);
      else resolve(error ? Buffer.alloc(0) : stdout);
    });
  });
}
