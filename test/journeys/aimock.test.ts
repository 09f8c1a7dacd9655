// @module-tag soak
import { expect, test } from 'vitest';
import { aca, comparable, doors, parseStream, protocolNames } from '../support/aca.ts';
import { startAimock } from '../support/model-server/aimock.ts';
import type { ProtocolName, View } from '../support/model-server/protocol.ts';
import { startModelServer } from '../support/model-server/server.ts';
import { sampled, sweepGroups } from '../support/soak.ts';
import { type Task, tasks } from '../support/tasks.ts';
import { type WhenDone, workspace } from '../support/workspace.ts';

type Where = { protocol: ProtocolName; url: string; whenDone: WhenDone };

/** One task against any server, told without what may differ between two runs. */
async function play(task: Task, { protocol, url, whenDone }: Where) {
  const space = await workspace(task.files, whenDone);
  const { model, env } = doors[protocol](url);
  const args = ['-p', task.prompt, '--model', model, '--output-format', 'stream-json', ...task.flags];
  const { code, stdout, stderr } = await aca(space, args, { env });
  const { report, events } = parseStream(stdout.replaceAll(space.root, '/project'));
  const { result, stopReason, turns, denials } = report;
  const tree = await space.tree();
  return {
    root: space.root,
    told: { code, stderr, result, stopReason, turns, denials, tree, events: comparable(events) },
  };
}

/** What was asked, without ids and without what is the journal's own. */
function asked(requests: readonly View[], root: string): unknown {
  const clean = requests.map(({ system, tools, messages }) => ({
    system,
    tools,
    messages: messages.map(({ role, text, calls, results }) => ({
      role,
      text,
      calls: calls.map(({ name, input }) => ({ name, input })),
      results: results.map((result) => unwrapped(result.text)),
    })),
  }));
  return JSON.parse(JSON.stringify(clean).replaceAll(root, '/project'));
}

/** Gemini's results are objects, of which the other server keeps the JSON. */
function unwrapped(text: string): string {
  if (!/^\{"(output|error)":"/.test(text)) return text;
  const { output, error } = JSON.parse(text) as { output?: string; error?: string };
  return output ?? error ?? '';
}

sweepGroups(sampled(tasks, 3).map((task) => [task.name, task] as const))(
  '[Z11] %s',
  (_name, task) => {
    test.for(protocolNames)(
      "over %s, somebody else's server sees and yields what ours does",
      async (protocol, { onTestFinished: whenDone }) => {
        const ours = await startModelServer(task.script);
        whenDone(() => ours.close());
        const theirs = await startAimock(task.script);
        whenDone(() => theirs.close());

        const reference = await play(task, { protocol, url: ours.url, whenDone });
        const independent = await play(task, { protocol, url: theirs.url, whenDone });

        expect(independent.told).toEqual(reference.told);
        expect(independent.told).toMatchObject({ code: 0, stderr: '', result: task.result, tree: task.tree });
        expect(theirs.requests.map((request) => request.protocol)).toEqual(task.script.map(() => protocol));
        expect(asked(theirs.requests, independent.root)).toEqual(asked(ours.requests, reference.root));
        expect({ exhausted: theirs.exhausted, refusals: ours.refusals }).toEqual({
          exhausted: false,
          refusals: [],
        });
      },
    );
  },
  { concurrent: true },
);
