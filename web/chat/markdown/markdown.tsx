import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { memo } from '../memo.ts';
import { BlockView } from './block-view.tsx';
import { type Blocks, noBlocks, readBlocks } from './blocks.ts';

type Props = {
  text: string;
  /** Whether more may follow: the last block is then drawn again with each part. */
  isGrowing?: boolean;
};

/** Markdown from a model. Whatever HTML it contains is shown as text; nothing is loaded from the network. */
export const Markdown = memo(({ text, isGrowing = false }: Props) => {
  const read = useRef<Blocks>(noBlocks);
  read.current = readBlocks(read.current, text);
  const { settled, open } = read.current;
  return (
    <div class="markdown">
      {[...settled, ...open].map(({ start, token }) => (
        <Block
          key={start}
          raw={token.raw}
          token={token}
          isOpen={isGrowing && start >= (open[0]?.start ?? 0)}
        />
      ))}
    </div>
  );
});

type BlockProps = Parameters<typeof BlockView>[0] & { raw: string };

/** The same source looks the same, although its token may be another object. */
const Block = ({ raw, token, isOpen }: BlockProps) => {
  const drawn = useRef<{ raw: string; isOpen: boolean; node: ComponentChildren } | null>(null);
  if (drawn.current?.raw !== raw || drawn.current.isOpen !== isOpen) {
    drawn.current = { raw, isOpen, node: <BlockView token={token} isOpen={isOpen} /> };
  }
  return <>{drawn.current?.node}</>;
};
