import { UserError } from '../contract/errors.ts';
import type { Session } from '../contract/session.ts';
import { toJsonLines } from '../lib/files/json-lines.ts';
import { parseJournal } from './parse.ts';
import { fold } from './records.ts';

/**
 * The parts of another user's export that may be imported: its id, the conversation and its title. Their permissions,
 * settings and folder are not.
 */
export function readExport(text: string, name = 'This'): Pick<Session, 'id' | 'messages' | 'title'> {
  const { id, messages, title } = tableIn(text, name);
  const header = {
    type: 'header',
    version: 1,
    id: 'import',
    workingDirectory: '/',
    startedAt: '',
    settings: {},
  };
  const listed = Array.isArray(messages) ? messages : [];
  const lines = [header, ...listed.map((message: unknown) => ({ type: 'message', message }))];
  const { records, damaged } = parseJournal(Buffer.from(toJsonLines(lines)));
  const session = damaged.length === 0 ? fold(records, 'import')?.session : undefined;
  if (!session || session.messages.length === 0) throw notAnExport(name, 'it contains no conversation');
  return {
    id: typeof id === 'string' && /^[\w-]{1,64}$/.test(id) ? id : 'import',
    messages: session.messages,
    ...(typeof title === 'string' && { title }),
  };
}

function tableIn(text: string, name: string): { id?: unknown; messages?: unknown; title?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw notAnExport(name, error.message);
  }
  throw notAnExport(name, 'it is not a JSON object');
}

function notAnExport(name: string, because: string): UserError {
  return new UserError(
    `${name} is not an exported session: ${because}.`,
    'Create one with `aca sessions export ID --bundle` or `--format json`.',
  );
}
