import type { ToolCallContent } from '@agentclientprotocol/sdk';
import { useEffect, useState } from 'preact/hooks';
import { useChat } from '../context.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { Icon } from '../parts/icon.tsx';
import type { Ask } from '../state/view.ts';
import { visible } from '../text/visible.ts';
import { FileDiff } from '../transcript/call-content.tsx';
import { unfenced } from '../transcript/output.tsx';
import { type AskKeys, useSelection } from './use-selection.ts';

type Props = {
  ask: Extract<Ask, { type: 'permission' }>;
  cwd: string;
  keys: AskKeys;
  isWatching: boolean;
};

/** What will happen, in full, and the answers. */
export function PermissionCard({ ask, cwd, keys, isWatching }: Props) {
  const { connection, run } = useChat();
  const [chosen, setChosen] = useState<string | null>(null);
  const { toolCall, options, requestId } = ask;
  useEffect(() => setChosen(null), [ask]);
  const answer = (optionId: string | undefined) => {
    if (optionId === undefined || chosen !== null || isWatching || !keys.mayAnswer()) return;
    setChosen(optionId);
    run(
      connection.answerPermission(requestId, optionId).catch((error) => {
        setChosen(null);
        throw error;
      }),
    );
  };
  const take = (index: number) => answer(options[index]?.optionId);
  const selected = useSelection({ ...keys, count: options.length, take });
  return (
    <>
      <header class="ask-head">
        <Icon name="warning" />
        <h2>{visible(toolCall.title ?? 'Approve this call?')}</h2>
      </header>
      {/* Long details scroll, also by keyboard. */}
      <section class="ask-body" aria-label="Details" tabIndex={0}>
        {toolCall.content?.map((part, index) => (
          <Detail key={index} part={part} cwd={cwd} />
        ))}
      </section>
      {isWatching ? (
        <p class="muted">Waiting for somebody who may approve.</p>
      ) : (
        <div class="choices">
          {options.map(({ optionId, name, kind }, index) => (
            <button
              key={optionId}
              type="button"
              class={kind.startsWith('allow') ? 'choice allow' : 'choice'}
              aria-current={index === selected}
              disabled={chosen !== null}
              onClick={() => answer(optionId)}
            >
              <span class="key" aria-hidden="true">
                {index + 1}
              </span>
              <span>{visible(name)}</span>
            </button>
          ))}
        </div>
      )}
    </>
  );
}

/** A command is shown as code and whole; why it is asked, as text; a change as a difference. */
function Detail({ part, cwd }: { part: ToolCallContent; cwd: string }) {
  if (part.type === 'diff') return <FileDiff diff={part} cwd={cwd} />;
  if (part.type !== 'content' || part.content.type !== 'text') return null;
  const { text } = part.content;
  const code = unfenced(text);
  if (code !== text) return <pre class="exact">{visible(code.replace(/\n$/, ''))}</pre>;
  return <Markdown text={visible(text)} />;
}
