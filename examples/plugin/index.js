// Counts TODOs, protects a generated folder, and adds a command that shows how often it was used.
// Types in an editor, from the first release on: npm install --save-dev ai-code-assistant

let counted = 0;

/** @type {import('ai-code-assistant').Plugin} */
export default {
  name: 'todo-count',
  version: '1.0.0',

  tools: [
    {
      name: 'count',
      description: 'Count the lines that say TODO in one file of the project.',
      parameters: {
        type: 'object',
        properties: { file: { type: 'string', description: 'Path of the file' } },
        required: ['file'],
        additionalProperties: false,
      },
      // It only reads, through the guarded `files` it is given, so it needs no approval.
      requiresApproval: false,
      readOnly: true,
      async execute({ file }, { files }) {
        const { lines } = await files.readLines(file, { offset: 0, limit: 100_000 });
        const left = lines.filter((line) => line.includes('TODO')).length;
        return `${file}: ${left} to do`;
      },
    },
  ],

  hooks: {
    onBeforeToolCall(call) {
      const file = call.input?.file_path;
      if (['Write', 'Edit'].includes(call.name) && /(^|\/)generated\//.test(file ?? ''))
        return { block: 'files in generated/ are made by a script; change the script instead' };
      return call;
    },
    onAfterToolCall(call) {
      if (call.name === 'todo-count:count') counted += 1;
    },
  },

  commands: [
    {
      name: 'counted',
      description: 'Show how often TODOs were counted',
      async execute(_args, { print }) {
        print(`TODOs were counted ${counted} times.`);
      },
    },
  ],
};
