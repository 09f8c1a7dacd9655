// Reviews what changed since a commit: node dist/ci-check.js BASE. Prints one line per finding, and exits with 1 if there
// are any, with 2 if the review did not finish.
import { execFile } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';
import { createAgent, defineAgentTool, UserError } from 'ai-code-assistant';
import { z } from 'zod';

const run = promisify(execFile);

const finding = z.object({
  file: z.string().describe('Path of the file'),
  line: z.number().int().min(1).describe('Line that has the problem'),
  problem: z.string().describe('What is wrong, in one sentence'),
});

async function review(base: string): Promise<number> {
  const { stdout: diff } = await run('git', ['diff', `${base}...HEAD`], { maxBuffer: 10_000_000 }).catch(
    (error: { stderr?: string; message: string }) => {
      throw new UserError(
        `No diff: ${(error.stderr || error.message).trim()}`,
        'Name a commit or branch to compare with.',
      );
    },
  );
  if (diff === '') return 0;
  const findings: z.infer<typeof finding>[] = [];
  /** The model reports through a tool, so the result has a form that a program can rely on. */
  const report = defineAgentTool({
    name: 'report',
    description: 'Report one problem of the change. Call it once for each problem.',
    input: finding,
    readOnly: true,
    requiresApproval: false,
    execute(input) {
      findings.push(input);
      return 'Noted.';
    },
  });
  const agent = await createAgent({
    tools: [report],
    permissions: { mode: 'read-only' },
    session: 'none',
    budget: '$1',
    maxTurns: 30,
  });
  try {
    const task = 'Review this change. Report bugs, missing tests and security problems, and nothing else.';
    const { stopReason, error } = await agent.run(`${task}\n\n${diff}`, {
      signal: AbortSignal.timeout(600_000),
    }).result;
    for (const { file, line, problem } of findings) process.stdout.write(`${file}:${line}: ${problem}\n`);
    if (stopReason !== 'done') {
      process.stderr.write(`The review did not finish: ${error?.message ?? stopReason}\n`);
      return 2;
    }
    return findings.length > 0 ? 1 : 0;
  } finally {
    await agent.close();
  }
}

try {
  process.exitCode = await review(process.argv[2] ?? 'origin/main');
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  process.stderr.write(`${error.message}\n${error.hint}\n`);
  process.exitCode = 2;
}
