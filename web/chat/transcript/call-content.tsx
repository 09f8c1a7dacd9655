import type { ToolCallContent } from '@agentclientprotocol/sdk';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { useChat, useFold } from '../context.ts';
import { countChanges, diffRows } from '../diff/diff-rows.ts';
import { DiffView } from '../diff/diff-view.tsx';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { PathText } from '../parts/path-text.tsx';
import { plural, shortPath } from '../text/format.ts';
import { visible } from '../text/visible.ts';
import { ImageView } from './image-view.tsx';
import { Output } from './output.tsx';

/** Rows of a difference shown before it is opened. */
const SHOWN_ROWS = 24;

type Props = {
  content: readonly ToolCallContent[];
  /** What its terminal shows. */
  printed: string;
  foldKey: string;
  isRunning: boolean;
  cwd: string;
};

/** What a call shows: its output, the changes it made, images. */
export function CallContent({ content, printed, foldKey, isRunning, cwd }: Props) {
  return (
    <>
      {content.map((part, index) => {
        const key = `${foldKey}:${index}`;
        if (part.type === 'diff') return <FileDiff key={key} diff={part} foldKey={key} cwd={cwd} />;
        if (part.type === 'terminal') {
          return printed === '' ? null : (
            <Output key={key} text={printed} foldKey={key} isRunning={isRunning} />
          );
        }
        return <Block key={key} block={part.content} foldKey={key} isRunning={isRunning} />;
      })}
    </>
  );
}

type BlockProps = {
  block: Extract<ToolCallContent, { type: 'content' }>['content'];
  foldKey: string;
  isRunning: boolean;
};

function Block({ block, foldKey, isRunning }: BlockProps): ComponentChildren {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? null : (
        <Output text={block.text} foldKey={foldKey} isRunning={isRunning} />
      );
    case 'image':
      return <ImageView data={block.data} mimeType={block.mimeType} />;
    case 'resource':
      return 'text' in block.resource ? (
        <Output text={block.resource.text} foldKey={foldKey} isRunning={isRunning} />
      ) : null;
    case 'resource_link':
      return <p class="source">{visible(block.uri)}</p>;
    case 'audio':
      return null;
    default:
      return block satisfies never;
  }
}

type Diff = Extract<ToolCallContent, { type: 'diff' }>;

/** `foldKey` is missing where nothing may be folded. */
type FileDiffProps = { diff: Diff; foldKey?: string; cwd: string };

/** The change of one file, or of one place in it. */
export function FileDiff({ diff, foldKey, cwd }: FileDiffProps) {
  const [isOpen, toggle] = useFold(`${foldKey}:diff`, false);
  const { path, oldText = null, newText } = diff;
  const { line, oldLine } = linesOf(diff);
  const rows = useMemo(
    () => diffRows({ oldText, newText, oldLine, newLine: line }),
    [oldText, newText, oldLine, line],
  );
  const { added, removed } = useMemo(() => countChanges(rows), [rows]);
  const name = visible(shortPath(path, cwd));
  const isLong = foldKey !== undefined && rows.length > SHOWN_ROWS + 4;
  return (
    <div class="file-diff">
      <div class="file-head">
        <Link target={{ type: 'file', path, ...(line !== undefined && { line }) }}>
          <PathText path={shortPath(path, cwd)} />
        </Link>
        <Counts added={added} removed={removed} />
        <OpenDiff path={path} name={name} />
      </div>
      <DiffView rows={isLong && !isOpen ? rows.slice(0, SHOWN_ROWS) : rows} label={`Changes in ${name}`} />
      {isLong && (
        <button type="button" class="more" onClick={toggle}>
          {isOpen ? 'Show less' : plural(rows.length - SHOWN_ROWS, 'more line')}
        </button>
      )}
    </div>
  );
}

/** Opens the editor's own view of the change, where there is one. */
export function OpenDiff({ path, name }: { path: string; name: string }) {
  const { connection, run } = useChat();
  const { openDiff } = connection;
  if (!openDiff) return null;
  return (
    <button
      type="button"
      class="quiet small open-diff"
      aria-label={`Open the diff of ${name}`}
      title="Open diff"
      onClick={() => run(openDiff.call(connection, path))}
    >
      <Icon name="diff" />
    </button>
  );
}

export function Counts({ added, removed }: { added: number; removed: number }) {
  return (
    <span class="counts">
      {added > 0 && <span class="added" title={plural(added, 'added line')}>{`+${added}`}</span>}
      {removed > 0 && <span class="removed" title={plural(removed, 'removed line')}>{`−${removed}`}</span>}
    </span>
  );
}

/** Where the change is, which our agent says beside it. */
function linesOf({ _meta }: Diff): { line?: number; oldLine?: number } {
  const aca = _meta?.aca;
  if (typeof aca !== 'object' || aca === null) return {};
  const { line, oldLine } = aca as Record<string, unknown>;
  return { ...(typeof line === 'number' && { line }), ...(typeof oldLine === 'number' && { oldLine }) };
}
