import type { Order } from './obedient.ts';

export const bash = (command: string): Order => ({ tool: 'Bash', input: { command } });
export const fetches = (url: string): Order => ({ tool: 'WebFetch', input: { url } });
export const reads = (file_path: string): Order => ({ tool: 'Read', input: { file_path } });
export const writes = (file_path: string, content = 'x\n'): Order => ({
  tool: 'Write',
  input: { file_path, content },
});
export const serves = (name: string, input: Record<string, unknown>): Order => ({ tool: name, input });
export const edits = (file_path: string, old_string: string, new_string: string): Order => ({
  tool: 'Edit',
  input: { file_path, old_string, new_string },
});
