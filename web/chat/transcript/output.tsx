import { useMemo } from 'preact/hooks';
import { useFold } from '../context.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { plural } from '../text/format.ts';
import { printed } from '../text/visible.ts';

/** Lines shown of a long output: its beginning and its end. */
const HEAD = 4;
const TAIL = 8;
/** Even when everything is shown. */
const MOST_CHARACTERS = 200_000;

type Props = { text: string; foldKey: string; isRunning: boolean };

/** What a call printed. Of a long output, head and tail are shown until it is opened; of a running one, the end. */
export function Output({ text, foldKey, isRunning }: Props) {
  const [isOpen, toggle] = useFold(`${foldKey}:output`, false);
  const lines = useMemo(() => printed(unfenced(text).slice(-MOST_CHARACTERS)).trimEnd().split('\n'), [text]);
  const hidden = lines.length - HEAD - TAIL;
  const isLong = hidden > 2;
  const head = isRunning ? [] : lines.slice(0, HEAD);
  const more = isRunning ? lines.length - TAIL : hidden;
  return (
    <div class="output">
      <pre>
        {!isLong || isOpen ? (
          lines.join('\n')
        ) : (
          <>
            {head.length > 0 && `${head.join('\n')}\n`}
            <button type="button" class="more" onClick={toggle}>
              {plural(more, 'more line')}
            </button>
            {`\n${lines.slice(-TAIL).join('\n')}`}
          </>
        )}
      </pre>
      <div class="output-actions">
        {isLong && isOpen && (
          <button type="button" class="quiet small" onClick={toggle}>
            Show less
          </button>
        )}
        <CopyButton text={lines.join('\n')} label="Copy output" />
      </div>
    </div>
  );
}

/** The agent sends what a program printed as a block of code. */
export function unfenced(text: string): string {
  const fence = /^(`{3,})[^`\n]*\n/.exec(text);
  const end = fence ? text.trimEnd().lastIndexOf(`\n${fence[1]}`) : -1;
  return fence && end >= fence[0].length - 1 && text.trimEnd().length === end + 1 + (fence[1]?.length ?? 0)
    ? text.slice(fence[0].length, end + 1)
    : text;
}
