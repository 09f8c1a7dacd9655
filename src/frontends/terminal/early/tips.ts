/** One of them is shown at each start. They name default keys. */
export const tips = [
  '? shows all keys, /help all commands',
  '@ completes file names',
  '! runs a command in your shell; the model sees its output',
  'shift+tab switches the mode: accept edits, plan, auto',
  'esc interrupts; esc esc goes back to an earlier prompt',
  'ctrl+o opens the whole conversation, with nothing folded',
  'ctrl+r searches your earlier prompts',
  'ctrl+g opens your prompt in your editor',
  'ctrl+v pastes an image',
  '/undo takes back what the last run changed, commands included',
  '/init writes instructions for this project',
  '/context shows what fills the context window',
  '/review looks for bugs in your changes',
  '/plan explores and plans before anything is changed',
  '/model switches to another model',
  'aca --continue resumes the last conversation of this folder',
] as const;

/** Whether it names a key rather than a command. */
export function namesKeys(tip: string): boolean {
  return !/^(\/|aca )/.test(tip);
}

/** The same for the whole start, another one at the next. */
export const tipOfThisStart = tips[(Math.floor(Date.now() / 1000) + process.pid) % tips.length] ?? '';
