import { useEffect, useState } from 'preact/hooks';
import { useChat } from '../context.ts';
import { Icon } from '../parts/icon.tsx';
import type { Ask } from '../state/view.ts';
import { visible } from '../text/visible.ts';
import { type AskKeys, useSelection } from './use-selection.ts';

type Props = { ask: Extract<Ask, { type: 'question' }>; keys: AskKeys; isWatching: boolean };

/** A question of the agent: choices, or an answer in the user's own words. */
export function QuestionCard({ ask, keys, isWatching }: Props) {
  const { connection, run } = useChat();
  const [text, setText] = useState('');
  const [isSent, setSent] = useState(false);
  const { question, choices, requestId } = ask;
  useEffect(() => setSent(false), [ask]);
  const answer = (value: string | null) => {
    if (isSent || isWatching) return;
    setSent(true);
    run(
      connection.answerQuestion(requestId, value).catch((error) => {
        setSent(false);
        throw error;
      }),
    );
  };
  const take = (index: number) => answer(choices[index] ?? null);
  const selected = useSelection({ ...keys, count: choices.length, take });
  return (
    <>
      <header class="ask-head">
        <Icon name="info" />
        <h2>{visible(question)}</h2>
      </header>
      {isWatching ? (
        <p class="muted">Waiting for somebody who may answer.</p>
      ) : (
        <>
          <div class="choices">
            {choices.map((choice, index) => (
              <button
                key={choice}
                type="button"
                class="choice"
                aria-current={index === selected}
                disabled={isSent}
                onClick={() => answer(choice)}
              >
                <span class="key" aria-hidden="true">
                  {index + 1}
                </span>
                <span>{visible(choice)}</span>
              </button>
            ))}
          </div>
          <form
            class="own-answer"
            onSubmit={(event) => {
              event.preventDefault();
              if (text.trim() !== '') answer(text.trim());
            }}
          >
            <input
              type="text"
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
              placeholder={choices.length > 0 ? 'Or answer in your own words' : 'Your answer'}
              aria-label="Your answer"
              disabled={isSent}
            />
            <button type="submit" class="primary" disabled={isSent || text.trim() === ''}>
              Answer
            </button>
            <button type="button" class="quiet" disabled={isSent} onClick={() => answer(null)}>
              Skip
            </button>
          </form>
        </>
      )}
    </>
  );
}
