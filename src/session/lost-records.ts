const MESSAGES: Readonly<Record<string, string>> = {
  user: 'a prompt',
  assistant: 'an answer from the model',
  tool: 'the result of a tool call',
};

const RECORDS: Readonly<Record<string, string>> = {
  header: 'the start of the session',
  message: 'a message',
  delta: 'part of an answer',
  call_answered: 'the result of a tool call',
  decision: 'who approved a call',
  grant: 'a permission',
  compaction: 'a summary',
  title: 'the title',
};

/** The record types in damaged lines of a journal, judging by how they start; each once. */
export function lostRecords(damaged: readonly string[]): string[] {
  return [...new Set(damaged.map(lostRecord))];
}

function lostRecord(line: string): string {
  const [, type = '', role = ''] = /^\{"type":"(\w+)"(?:,"message":\{"role":"(\w+)")?/.exec(line) ?? [];
  if (type === 'message' && Object.hasOwn(MESSAGES, role)) return MESSAGES[role] ?? '';
  if (Object.hasOwn(RECORDS, type)) return RECORDS[type] ?? '';
  return type === '' ? 'an unreadable record' : `a record of type ${type}`;
}
