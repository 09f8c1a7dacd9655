/**
 * How vendors and servers report that a request exceeds the context window. `overflow.test.ts` lists real
 * messages.
 */
const OVERFLOW: readonly RegExp[] = [
  // Names the context window and says it is exceeded: "maximum context length is", "exceed context limit",
  // "available context size", "context window exceeds limit", "context_length_exceeded".
  /\b(max(imum)?|available|loaded)[\s_-](allowed[\s_-])?(model[\s_-])?(context|sequence|seq)\b/i,
  /context[\s_-]?(length|window|size|limit).{0,60}(exceed|overflow|\bonly\b|\bfull\b|too (small|short))/is,
  /(exceed|larger than|longer than|greater than|bigger than|above|beyond|over|outside|does(n't| not) fit|too (long|large|big|much)).{0,80}\b(context|n_ctx|max_model_len|max_seq_len)\b/is,
  /(context(?! (deadline|canceled))|n_ctx).{0,40}(overflow|exceed)/i,
  /exceeds?_context_size|contextwindowexceeded|n_keep\b.{0,30}n_ctx/i,
  /maximum (allowed )?(prompt|input|request|model|total) (length|size|tokens?)/i,
  /(prompt|input|request|message|messages|conversation)s?( text| length| token count| tokens)?( \([^)]*\))? (is|are|was) (too (long|large|big)|longer than)/i,
  /range of input length|prompt too long|input too long|text too (long|big)|total length of all messages is too long/i,
  /input token count|(prompt|input) tokens? (count )?(of |\([\d,]+\) )?.{0,30}(exceed|limit|maximum|larger|greater)/i,
  /token count.{0,60}exceed|tokens? in request more than max|exceeded (the )?(model|input|maximum|total)?\s*token limit|token limit (was |is )?exceeded/i,
  /too many (input |prompt |total )?tokens\b(?!.{0,20}(wait|per (minute|second|day)))/i,
  /exceeds? (the )?(maximum|max|limit)\b.{0,60}\btokens?\b/i,
  /reduce (the |your )?(length of|size of|number of tokens in|message size|prompt|input|context)/i,
  /`?inputs?`? (tokens? \+ `?max_new_tokens`? must be|must have less than \d+ tokens)/i,
  /request (too large for|exceeds the maximum (allowed )?(size|number of bytes))|request_too_large|(entity|payload|content) too large/i,
  /shorter (input|prompt)|shorten (the|your) (input|prompt|messages|conversation)/i,
];

/** Similar wording for other errors: too many concurrent requests, or a limit on the output alone. */
const NOT_OVERFLOW: readonly RegExp[] = [
  /rate.?limit (reached|exceeded)|too many requests|throttl|please wait before|quota/i,
  /^(?!.*(`?inputs?`? tokens|prompt|input length|messages)).*max_?(completion_|output_|new_)?tokens\b.{0,40}(must be|is too large|cannot be|should be|supports at most|maximum allowed number of output)/is,
];

/** Whether the message means that the conversation does not fit and must be shortened before a retry. */
export function meansOverflow(words: string): boolean {
  return (
    OVERFLOW.some((pattern) => pattern.test(words)) && !NOT_OVERFLOW.some((pattern) => pattern.test(words))
  );
}

/** A single request exceeds the per-minute limit: waiting does not help. */
export function exceedsMinuteQuota(words: string): boolean {
  return /request too large for/i.test(words);
}

const NUMBER = String.raw`(\d[\d,]{2,})`;
/** How messages state the window. The first match wins: a limit after `>` is never the size of the request. */
const STATED: readonly RegExp[] = [
  new RegExp(String.raw`\d\s*(?:tokens\s*)?>=?\s*${NUMBER}`),
  new RegExp(String.raw`(?:n_ctx|max_model_len|max_seq_len)\W{0,5}${NUMBER}`),
  new RegExp(
    String.raw`(?:context|model|sequence) (?:length|window|size|limit)(?: (?:is|of|only|currently)|[\s:=(])*${NUMBER}`,
    'i',
  ),
  new RegExp(`${NUMBER} (?:tokens )?max(?:imum)? context`, 'i'),
  new RegExp(`tokens? .{0,20}must be <= ${NUMBER}|must have less than ${NUMBER} tokens`, 'i'),
];

/** The context window that an overflow error states, if any. */
export function windowIn(words: string): number | undefined {
  for (const pattern of STATED) {
    const digits = pattern.exec(words)?.slice(1).find(Boolean);
    if (digits !== undefined) return Number(digits.replaceAll(',', ''));
  }
  return undefined;
}
