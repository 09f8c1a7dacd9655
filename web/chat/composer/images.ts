import type { ContentBlock } from '@agentclientprotocol/sdk';

const KINDS = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const MB = 1024 * 1024;
const MOST_BYTES = 10 * MB;
/** Of one prompt: with its text, it must fit into one message to the server. */
const MOST_TOTAL_BYTES = 20 * MB;

export function imagesIn(data: DataTransfer | null): File[] {
  return [...(data?.files ?? [])].filter(({ type }) => type.startsWith('image/'));
}

/** To go with what is attached already. */
export async function readImages(
  files: readonly File[],
  attached: readonly ContentBlock[],
): Promise<ContentBlock[]> {
  const wrong = files.find(({ type }) => !KINDS.includes(type));
  if (wrong) throw new Error(`${wrong.name} is not a PNG, JPEG, GIF or WebP image.`);
  if (files.some(({ size }) => size > MOST_BYTES)) throw new Error('Images can have at most 10 MB.');
  const total = [...files, ...attached].reduce((sum, one) => sum + sizeOf(one), 0);
  if (total > MOST_TOTAL_BYTES)
    throw new Error('The images of a message can have at most 20 MB together. Send some of them separately.');
  return Promise.all(
    files.map(async (file) => ({ type: 'image', mimeType: file.type, data: await base64Of(file) })),
  );
}

function sizeOf(one: File | ContentBlock): number {
  if ('size' in one && typeof one.size === 'number') return one.size;
  return 'data' in one ? (one.data.length * 3) / 4 : 0;
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(new Error(`${file.name} cannot be read.`));
    reader.readAsDataURL(file);
  });
}
