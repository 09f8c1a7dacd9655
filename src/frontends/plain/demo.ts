import { showDemo } from '../../app/first-run/demo.ts';
import type { Approver } from '../../contract/permission.ts';
import { exactLine } from '../../lib/text/visible-text.ts';
import type { Terminal } from '../shared/terminal.ts';
import { askOnTerminal } from './ask.ts';
import { Conversation } from './line-terminal.ts';
import { PlainView } from './plain-view.ts';

/** `--demo` in plain lines. */
export async function runDemo(terminal: Terminal): Promise<number> {
  const talk = new Conversation(terminal);
  try {
    const isInteractive = terminal.stdin.isTTY && terminal.stdout.isTTY;
    const approver = isInteractive ? askOnTerminal(talk) : answerYes(talk);
    await playDemo(talk, { env: terminal.env, approver });
    return 0;
  } finally {
    talk.close();
  }
}

export function playDemo(
  talk: Conversation,
  { env, approver = askOnTerminal(talk) }: { env: NodeJS.ProcessEnv; approver?: Approver },
): Promise<void> {
  const view = new PlainView({ color: false, stream: true });
  return showDemo(
    { print: (text) => talk.print(text), show: (event) => talk.write(view.render(event)) },
    { env, approver },
  );
}

function answerYes(talk: Conversation): Approver {
  return async (request) => {
    talk.print(`Allow: ${exactLine(request.operation)}? [y/n] y   (no terminal, so the demo answers yes)`);
    return { choice: 'once' };
  };
}
