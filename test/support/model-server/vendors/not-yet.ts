/**
 * Rules, by their sentence, that the program does not follow yet. Servers leave them out unless a test asks for
 * `enforce: 'all'`. A rule leaves this set with the change that makes the program follow it.
 */
export const NOT_YET: ReadonlySet<string> = new Set<string>([
  'reasoning models call functions over the Responses API only, or with effort none',
  'the phase of a message goes back with it',
  'Grok keeps its reasoning over the Responses API only',
  'a conversation with Grok names its cache',
  'GLM gets the reasoning of a tool loop back',
  'MiniMax gets every message back with its thinking',
  'Qwen gets the reasoning of a tool loop back',
  'Mistral gets the thinking of a tool loop back',
  'reasoning_details go back unmodified in a tool loop',
  'open models get the reasoning of a tool loop back',
]);
