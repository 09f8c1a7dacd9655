import type { ContentBlock } from '@agentclientprotocol/sdk';
import { Icon } from '../parts/icon.tsx';
import { Attachment } from '../transcript/item-view.tsx';

const KINDS = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const MOST_BYTES = 10 * 1024 * 1024;

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

export function imagesIn(data: DataTransfer | null): File[] {
  return [...(data?.files ?? [])].filter(({ type }) => type.startsWith('image/'));
}

export async function readImages(files: readonly File[]): Promise<ContentBlock[]> {
  const wrong = files.find(({ type }) => !KINDS.includes(type));
  if (wrong) throw new Error(`${wrong.name} is not a PNG, JPEG, GIF or WebP image.`);
  if (files.some(({ size }) => size > MOST_BYTES)) throw new Error('Images can have at most 10 MB.');
  return Promise.all(
    files.map(async (file) => ({ type: 'image', mimeType: file.type, data: await base64Of(file) })),
  );
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(new Error(`${file.name} cannot be read.`));
    reader.readAsDataURL(file);
  });
}
