import type { ContentBlock, StopReason } from '@agentclientprotocol/sdk';
import type { ComponentChildren } from 'preact';
import { useFold } from '../context.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { memo } from '../memo.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import type { GroupRow } from '../state/rows.ts';
import type { Item, MessageItem, UserItem } from '../state/view.ts';
import { duration } from '../text/format.ts';
import { visible } from '../text/visible.ts';
import { CallGroup, CallRow } from './call-row.tsx';
import { ImageView } from './image-view.tsx';

type Props = {
  item: Item | GroupRow;
  /** Whether more of it may come. */
  isGrowing: boolean;
  /** Ids of the calls that the user is asked about. */
  asked: ReadonlySet<string>;
  cwd: string;
};

export const ItemView = memo(({ item, isGrowing, asked, cwd }: Props): ComponentChildren => {
  switch (item.type) {
    case 'user':
      return <UserMessage item={item} />;
    case 'message':
      return <AgentMessage item={item} isGrowing={isGrowing} />;
    case 'thought':
      return <Thought item={item} isGrowing={isGrowing} />;
    case 'call':
      return <CallRow call={item} asked={asked} cwd={cwd} />;
    case 'group':
      return <CallGroup calls={item.calls} asked={asked} cwd={cwd} />;
    case 'notice': {
      const { severity, text, detail } = item;
      return <Note icon={severity} kind={severity} text={text} detail={detail} />;
    }
    case 'failure':
      return <Note icon="error" kind="error" text={item.message} detail={item.hint} />;
    case 'stopped':
      return <Note icon="stop" kind="info" text={STOPPED[item.reason]} />;
    case 'answer':
      return <Answer {...item} />;
    default:
      return item satisfies never;
  }
});

function UserMessage({ item: { text, attachments, by } }: { item: UserItem }) {
  return (
    <article class="user" aria-label={by === undefined ? 'You' : `From ${by}`}>
      {by !== undefined && <div class="by">{visible(by)}</div>}
      {text !== '' && <div class="user-text">{text}</div>}
      {attachments.length > 0 && (
        <div class="attachments">
          {attachments.map((block, index) => (
            <Attachment key={index} block={block} />
          ))}
        </div>
      )}
    </article>
  );
}

export function Attachment({ block }: { block: ContentBlock }): ComponentChildren {
  if (block.type === 'image')
    return <ImageView data={block.data} mimeType={block.mimeType} alt="Attached image" />;
  const name =
    block.type === 'resource_link'
      ? (block.title ?? block.name)
      : block.type === 'resource'
        ? block.resource.uri
        : null;
  if (name === null) return null;
  return (
    <span class="chip">
      <Icon name="file" />
      {visible(name.split('/').at(-1) || name)}
    </span>
  );
}

function AgentMessage({ item, isGrowing }: { item: MessageItem; isGrowing: boolean }) {
  return (
    <article class="agent" aria-label="Assistant">
      <Markdown text={item.text} isGrowing={isGrowing} />
      {item.images.map((image, index) => (
        <Attachment key={index} block={image} />
      ))}
      {!isGrowing && (
        <div class="message-actions">
          <CopyButton text={item.text} label="Copy message" />
        </div>
      )}
    </article>
  );
}

/** What the model thinks: folded away, as few read it. */
function Thought({ item, isGrowing }: { item: MessageItem; isGrowing: boolean }) {
  const [isOpen, toggle] = useFold(`thought:${item.key}`, false);
  const time = item.endedAt - item.startedAt;
  const title = isGrowing ? 'Thinking' : time >= 1_000 ? `Thought for ${duration(time)}` : 'Thought';
  return (
    <div class={isGrowing ? 'thought growing' : 'thought'}>
      <button type="button" class="call-toggle" onClick={toggle} aria-expanded={isOpen}>
        <Icon name="thought" />
        <span class="call-title">{title}</span>
        <span class={isOpen ? 'fold open' : 'fold'}>
          <Icon name="chevron" />
        </span>
      </button>
      {isOpen && (
        <div class="call-body">
          <Markdown text={item.text} isGrowing={isGrowing} />
        </div>
      )}
    </div>
  );
}

type NoteProps = {
  icon: IconName;
  kind: 'info' | 'warning' | 'error';
  text: string;
  detail?: string | undefined;
};

function Note({ icon, kind, text, detail }: NoteProps) {
  return (
    <div class={`note ${kind}`} role={kind === 'error' ? 'alert' : undefined}>
      <Icon name={icon} />
      <div>
        <div class="note-text">{visible(text)}</div>
        {detail && <div class="note-detail">{visible(detail)}</div>}
      </div>
    </div>
  );
}

function Answer({ question, answer, by }: Extract<Item, { type: 'answer' }>) {
  const words = answer === null ? 'Not answered' : answer;
  return (
    <div class="note info">
      <Icon name="info" />
      <div>
        <div class="note-text">{visible(question)}</div>
        <div class="note-detail">{visible(by === undefined ? words : `${by}: ${words}`)}</div>
      </div>
    </div>
  );
}

const STOPPED: Record<StopReason, string> = {
  end_turn: 'Done',
  cancelled: 'Stopped. Send a message to continue.',
  max_tokens: 'The answer reached the model’s limit. Send “continue” to go on.',
  max_turn_requests: 'Reached the limit of steps for one request. Send “continue” to go on.',
  refusal: 'The model declined to answer. Rephrase the request, or switch the model.',
};
