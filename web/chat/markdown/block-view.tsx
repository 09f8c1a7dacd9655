import type { MarkedToken, Token, Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import { withoutReferences } from '../text/character-references.ts';
import { CodeBlock } from './code-block.tsx';
import { Inline } from './inline.tsx';

/** A block of Markdown. `isOpen`: its end has not come yet. */
export function BlockView({ token, isOpen }: { token: Token; isOpen: boolean }): ComponentChildren {
  const block = token as MarkedToken;
  switch (block.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      return <Heading depth={block.depth} tokens={block.tokens} />;
    case 'paragraph':
      return (
        <p>
          <Inline tokens={block.tokens} />
        </p>
      );
    case 'text':
      return block.tokens ? <Inline tokens={block.tokens} /> : withoutReferences(block.text);
    case 'code':
      return <CodeBlock code={block.text} language={block.lang?.split(/\s/)[0] ?? ''} isOpen={isOpen} />;
    case 'blockquote':
      return (
        <blockquote>
          <BlockList tokens={block.tokens} isOpen={isOpen} />
        </blockquote>
      );
    case 'list':
      return <List list={block as Tokens.List} isOpen={isOpen} />;
    case 'table':
      return <Table table={block as Tokens.Table} />;
    case 'hr':
      return <hr />;
    case 'html':
      return <p class="source">{block.text.trimEnd()}</p>;
    default:
      return <Inline tokens={[block]} />;
  }
}

function BlockList({ tokens, isOpen }: { tokens: Token[]; isOpen: boolean }) {
  return (
    <>
      {tokens.map((token, index) => (
        <BlockView key={index} token={token} isOpen={isOpen && index === tokens.length - 1} />
      ))}
    </>
  );
}

/** Headings of a message are below those of the page. */
function Heading({ depth, tokens }: { depth: number; tokens: Token[] }) {
  const Name = (['h3', 'h4', 'h5'] as const)[Math.min(depth, 3) - 1] ?? 'h5';
  return (
    <Name>
      <Inline tokens={tokens} />
    </Name>
  );
}

function List({ list, isOpen }: { list: Tokens.List; isOpen: boolean }) {
  const items = list.items.map((item, index) => (
    <li key={index} class={item.task ? 'task' : undefined}>
      {item.task && (
        <input
          type="checkbox"
          checked={item.checked === true}
          disabled
          aria-label={item.checked ? 'Done' : 'Not done'}
        />
      )}
      <BlockList
        tokens={item.tokens.filter(({ type }) => type !== 'checkbox')}
        isOpen={isOpen && index === list.items.length - 1}
      />
    </li>
  ));
  return list.ordered ? <ol start={Number(list.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ table }: { table: Tokens.Table }) {
  const cells = (row: Tokens.TableCell[], Name: 'th' | 'td') =>
    row.map(({ tokens, align }, index) => (
      <Name key={index} class={align ? `align-${align}` : undefined}>
        <Inline tokens={tokens} />
      </Name>
    ));
  return (
    <section class="table" tabIndex={0} aria-label="Table">
      <table>
        <thead>
          <tr>{cells(table.header, 'th')}</tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            <tr key={index}>{cells(row, 'td')}</tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
