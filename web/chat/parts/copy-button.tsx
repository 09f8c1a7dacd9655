import { useEffect, useState } from 'preact/hooks';
import { useChat } from '../context.ts';
import { Icon } from './icon.tsx';

/** How long it says that it copied, in milliseconds. */
const SHOWN = 1_500;

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const { run } = useChat();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () => run(copyText(text).then(() => setCopied(true)));
  const name = isCopied ? 'Copied' : label;
  return (
    <button type="button" class="quiet small" onClick={copy} aria-label={name} title={name}>
      <Icon name={isCopied ? 'check' : 'copy'} />
    </button>
  );
}

/** Browsers offer their clipboard only to secure pages; elsewhere a selection is copied. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'offscreen';
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (!isCopied)
    throw new Error('The browser did not let the page copy. Select the text and copy it yourself.');
}
