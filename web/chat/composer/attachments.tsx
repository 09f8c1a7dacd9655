import type { ContentBlock } from '@agentclientprotocol/sdk';
import { Icon } from '../parts/icon.tsx';
import { Attachment } from '../transcript/item-view.tsx';

type Props = { blocks: readonly ContentBlock[]; onRemove(index: number): void };

/** What goes with the prompt. */
export function Attachments({ blocks, onRemove }: Props) {
  if (blocks.length === 0) return null;
  return (
    <div class="attachments">
      {blocks.map((block, index) => (
        <span class="attachment" key={index}>
          <Attachment block={block} />
          <button
            type="button"
            class="remove"
            onClick={() => onRemove(index)}
            aria-label={`Remove attachment ${index + 1}`}
          >
            <Icon name="close" />
          </button>
        </span>
      ))}
    </div>
  );
}
