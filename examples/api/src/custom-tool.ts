// Works on one ticket: node dist/custom-tool.js NUMBER. Prints each step, then the result as JSON.
import process from 'node:process';
import { createAgent, defineAgentTool, fail, type PermissionRequest, UserError } from 'ai-code-assistant';
import { z } from 'zod';

const tickets = new Map([[7, 'add(1, 2) in add.js gives -1. It should add.']]);

/** The model knows it as app:ticket. It only reads, so it needs no approval. */
const ticket = defineAgentTool({
  name: 'ticket',
  description: 'Read a ticket from our tracker by its number.',
  input: z.object({ number: z.number().int().describe('The number of the ticket') }),
  readOnly: true,
  requiresApproval: false,
  execute: ({ number }) => tickets.get(number) ?? fail(`There is no ticket ${number}.`),
});

/** Approves changes to JavaScript files and declines everything else. */
function approve({ operation, accesses }: PermissionRequest): boolean {
  const isFine = accesses.every(({ kind, target }) => kind === 'write' && target.endsWith('.js'));
  process.stdout.write(`${isFine ? 'yes' : 'no'}: ${operation}\n`);
  return isFine;
}

async function work(number: string): Promise<void> {
  const agent = await createAgent({
    tools: [ticket],
    permissions: { approve },
    instructions: 'You fix bugs. Change as little as possible.',
    maxTurns: 20,
  });
  try {
    const run = agent.run(`Do what ticket ${number} asks for.`);
    for await (const event of run) {
      if (event.type === 'tool_start') process.stdout.write(`${event.title}\n`);
    }
    const { text, stopReason, error, filesChanged, denials } = await run.result;
    const refused = denials.map(({ tool }) => tool);
    process.stdout.write(`${JSON.stringify({ text, stopReason, filesChanged, refused })}\n`);
    if (stopReason !== 'done') {
      process.stderr.write(`The work did not finish: ${error?.message ?? stopReason}\n`);
      process.exitCode = 1;
    }
  } finally {
    await agent.close();
  }
}

try {
  await work(process.argv[2] ?? '7');
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  process.stderr.write(`${error.message}\n${error.hint}\n`);
  process.exitCode = 2;
}
