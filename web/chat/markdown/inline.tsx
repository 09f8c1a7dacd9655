import type { MarkedToken, Token } from 'marked';
import type { ComponentChildren } from 'preact';
import { Link } from '../parts/link.tsx';
import { withoutReferences } from '../text/character-references.ts';
import { codeTarget, linkTarget } from '../text/link-target.ts';

export function Inline({ tokens }: { tokens: Token[] }) {
  return <>{tokens.map((token) => inline(token as MarkedToken))}</>;
}

function inline(token: MarkedToken): ComponentChildren {
  switch (token.type) {
    case 'text':
      return token.tokens ? <Inline tokens={token.tokens} /> : withoutReferences(token.text);
    case 'escape':
      return withoutReferences(token.text);
    case 'strong':
      return (
        <strong>
          <Inline tokens={token.tokens} />
        </strong>
      );
    case 'em':
      return (
        <em>
          <Inline tokens={token.tokens} />
        </em>
      );
    case 'del':
      return (
        <del>
          <Inline tokens={token.tokens} />
        </del>
      );
    case 'codespan':
      return (
        <Link target={codeTarget(token.text)}>
          <code>{token.text}</code>
        </Link>
      );
    case 'br':
      return <br />;
    case 'link':
      return (
        <Link target={linkTarget(withoutReferences(token.href))}>
          <Inline tokens={token.tokens} />
        </Link>
      );
    case 'image':
      // Loading it would tell its server that somebody reads this.
      return (
        <Link target={linkTarget(withoutReferences(token.href))}>{`🖼 ${token.text || token.href}`}</Link>
      );
    case 'html':
      return /^<br\s*\/?>$/i.test(token.raw.trim()) ? <br /> : token.raw;
    default:
      return token.raw;
  }
}
