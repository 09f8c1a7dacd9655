import { UserError } from '../../contract/errors.ts';
import type { SubcommandContext } from './context.ts';

type Ask = Pick<SubcommandContext, 'stdin' | 'stderr'> & { prompt: string };

/** From a terminal one line, prompted for and not echoed; from a pipe everything. */
export async function readSecret({ stdin, stderr, prompt }: Ask): Promise<string> {
  if (!stdin.isTTY || !stdin.setRawMode) return readAll(stdin);
  // Raw mode before the prompt: typed characters must never be echoed.
  stdin.setRawMode(true);
  try {
    stderr.write(prompt);
    return await readHiddenLine(stdin);
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
}

async function readAll(stdin: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

const ENTER = ['\r', '\n'];
const CANCEL = ['\u0003', '\u0004'];
const ERASE = ['\u007f', '\b'];
const ERASE_ALL = '\u0015';

function readHiddenLine(stdin: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve, reject) => {
    let line = '';
    const finish = (settle: () => void) => {
      stdin.removeListener('data', onData);
      stdin.removeListener('end', onEnd);
      settle();
    };
    const cancel = () =>
      reject(new UserError('Cancelled; nothing was stored.', 'Run the command again when you have the key.'));
    const onEnd = () => finish(cancel);
    const onData = (data: Buffer | string) => {
      for (const char of data.toString()) {
        if (ENTER.includes(char)) return finish(() => resolve(line));
        if (CANCEL.includes(char)) return finish(cancel);
        if (ERASE.includes(char)) line = line.slice(0, -1);
        else if (char === ERASE_ALL) line = '';
        else line += char;
      }
    };
    stdin.on('data', onData);
    stdin.on('end', onEnd);
    stdin.resume();
  });
}
