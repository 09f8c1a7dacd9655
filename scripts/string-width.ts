import { NARROW } from '../src/frontends/terminal/text/narrow.ts';

type Measure = (text: string, options?: { ambiguousIsNarrow?: boolean }) => number;

declare const require: (name: string) => { default: Measure };

let measure: Measure | undefined;

/** Put by the build in the place of `string-width`, whose rules about Unicode take long to build: on first need. */
const stringWidth: Measure = (text, options) => {
  if (options === undefined && NARROW.test(text)) return text.length;
  if (isToken(text)) return 1;
  measure ??= require('string-width').default;
  return measure(text, options);
};

/** Nobody has given a meaning to these; rows pass the layout as one of them each. */
function isToken(text: string): boolean {
  return text.length === 2 && (text.codePointAt(0) ?? 0) >= 0xf_00_00;
}

export default stringWidth;
