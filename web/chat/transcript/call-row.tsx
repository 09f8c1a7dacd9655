import type { ToolKind } from '@agentclientprotocol/sdk';
import { useChat, useFold } from '../context.ts';
import { memo } from '../memo.ts';
import { Icon, type IconName, Spinner } from '../parts/icon.tsx';
import { useNow } from '../parts/use-now.ts';
import type { CallItem } from '../state/view.ts';
import { duration, plural, shortPath } from '../text/format.ts';
import { visible } from '../text/visible.ts';
import { CallContent } from './call-content.tsx';

const ICONS: Record<ToolKind, IconName> = {
  read: 'read',
  edit: 'edit',
  delete: 'delete',
  move: 'file',
  search: 'search',
  execute: 'command',
  think: 'subagent',
  fetch: 'fetch',
  switch_mode: 'options',
  other: 'other',
};

/** Shorter times are not worth reading, in milliseconds. */
const SHORT = 1_000;

type Props = { call: CallItem; isAsked: boolean; cwd: string };

/** A call of a tool: what it does, how it went, and what came of it. */
export const CallRow = memo(({ call, isAsked, cwd }: Props) => {
  const { kind, status, content, children } = call;
  const isRunning = call.endedAt === undefined && !isAsked;
  const hasMore = content.length > 0 || children.length > 0;
  // What the user is asked about is shown with the question.
  const [isOpen, toggle] = useFold(
    `call:${call.key}${isAsked ? ':asked' : ''}`,
    isOpenAtFirst(call) && !isAsked,
  );
  const title = visible(call.title).replaceAll('\n', ' ');
  const body = `call-${call.key}`;
  return (
    <div class={`call ${status}${isAsked ? ' asked' : ''}`}>
      <div class="call-head">
        <button
          type="button"
          class="call-toggle"
          onClick={toggle}
          disabled={!hasMore}
          aria-expanded={hasMore ? isOpen : undefined}
          aria-controls={hasMore && isOpen ? body : undefined}
        >
          {status === 'in_progress' && isRunning ? (
            <Spinner />
          ) : (
            <Icon name={status === 'failed' ? 'error' : (ICONS[kind] ?? 'other')} />
          )}
          <span class={kind === 'execute' ? 'call-title mono' : 'call-title'} title={title}>
            {title}
          </span>
          {hasMore && (
            <span class={isOpen ? 'fold open' : 'fold'}>
              <Icon name="chevron" />
            </span>
          )}
        </button>
        <Locations call={call} cwd={cwd} />
        <State call={call} isAsked={isAsked} isRunning={isRunning} />
      </div>
      {hasMore && isOpen && (
        <div class="call-body" id={body}>
          {children.map((child) => (
            <CallRow key={child.key} call={child} isAsked={false} cwd={cwd} />
          ))}
          <CallContent
            content={content}
            printed={call.printed}
            foldKey={`call:${call.key}`}
            isRunning={isRunning}
            cwd={cwd}
          />
        </div>
      )}
    </div>
  );
});

/** Changes, commands and failures are worth seeing; what was read is not. */
function isOpenAtFirst({ kind, status, content, children }: CallItem): boolean {
  if (children.length > 0) return true;
  if (content.some(({ type }) => type === 'diff')) return true;
  return kind === 'execute' || kind === 'think' || status === 'failed';
}

/** Up to two places that a click opens; the title names a single file already. */
function Locations({ call, cwd }: { call: CallItem; cwd: string }) {
  const { connection, run } = useChat();
  const { openFile } = connection;
  const places = call.locations.slice(0, 2);
  if (!openFile || places.length === 0) return null;
  return (
    <span class="locations">
      {places.map(({ path, line }) => {
        const place = line ? `${shortPath(path, cwd)}:${line}` : shortPath(path, cwd);
        const isNamed = call.title.includes(shortPath(path, cwd));
        const text = isNamed ? (line ? `:${line}` : '') : (place.split('/').at(-1) ?? place);
        return (
          <button
            key={place}
            type="button"
            class={text === '' ? 'place icon-only' : 'place'}
            title={`Open ${visible(place)}`}
            aria-label={`Open ${visible(place)}`}
            onClick={() => run(openFile.call(connection, path, line ?? undefined))}
          >
            {text === '' ? <Icon name="file" /> : visible(text)}
          </button>
        );
      })}
      {call.locations.length > 2 && <span class="place-count">{`+${call.locations.length - 2}`}</span>}
    </span>
  );
}

function State({ call, isAsked, isRunning }: { call: CallItem; isAsked: boolean; isRunning: boolean }) {
  const now = useNow(isRunning);
  const time = Math.max(0, (call.endedAt ?? now) - call.startedAt);
  const words = [
    decisionOf(call),
    call.children.length > 0 && plural(call.children.length, 'step'),
    isAsked ? 'Waiting for approval' : stateOf(call),
    !isAsked &&
      time >= SHORT &&
      duration(isRunning ? Math.floor(time / 1_000) * 1_000 : time).replace(/\.0s$/, 's'),
  ].filter(Boolean);
  return <span class="call-state">{words.join(' · ')}</span>;
}

function stateOf({ status, decision }: CallItem): string | null {
  if (status !== 'failed' || decision?.option?.kind.startsWith('reject')) return null;
  return 'Failed';
}

function decisionOf({ decision }: CallItem): string | null {
  if (!decision) return null;
  const isDeclined = decision.option === null || decision.option.kind.startsWith('reject');
  if (!isDeclined && decision.by === undefined) return null;
  return `${isDeclined ? 'Declined' : 'Approved'}${decision.by === undefined ? '' : ` by ${visible(decision.by)}`}`;
}
