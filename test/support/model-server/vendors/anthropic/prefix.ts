import { isRecord, type Json, record, records } from '../../protocol.ts';
import { bindsThinking, claudeOf } from './claude.ts';
import { decodeSignature, digest } from './signature.ts';

/** Everything before one place in a conversation that thinking is bound to. */
export type Prefix = {
  system: string;
  tools: string;
  messages: string;
  previous: string;
  lastRole: string;
  /** The digests after each message, for the report on what changed. */
  trail: readonly string[];
};

export type ThinkingBlock = { at: string; message: number; block: Json; before: Prefix };

/** Walks a conversation block by block, as the vendor reads it. Used to check blocks and to sign new ones. */
export class PrefixWalk {
  private readonly system: string;
  private readonly tools: Json[];
  private readonly referenced = new Set<unknown>();
  private rolled = digest('start');
  /** Adjacent texts of the assistant count as one, however they were split. */
  private spoken = '';
  private previous = '';
  private lastRole = '';
  /** A compaction block that stands for what it replaced, as long as the kept messages follow as required. */
  private compaction: { lastRole: string; content: unknown } | undefined;
  private readonly trail: string[] = [];

  constructor(body: Json) {
    this.system = digest(canonical(blocksOf(body.system)));
    this.tools = records(body.tools);
  }

  /** Adds one message; yields its thinking blocks with what came before each. */
  *message({ role, content, ...rest }: Json, index: number): Generator<ThinkingBlock> {
    const { output_config, clear_at } = rest;
    if (this.compaction && (role === this.compaction.lastRole || role === 'system'))
      this.rolled = digest(['compaction', this.compaction.content]);
    this.compaction = undefined;
    if (output_config !== undefined || clear_at !== undefined)
      this.add(String(role), { output_config, clear_at });
    for (const [j, block] of blocksOf(content).entries()) {
      if (isThinking(block)) {
        yield { at: `messages.${index}.content.${j}`, message: index, block, before: this.here() };
        this.previous = digest(block.signature ?? block.data ?? '');
      } else this.block(String(role), block);
    }
    this.lastRole = String(role);
    this.trail.push(this.digestHere());
  }

  /** Adds a block that is not thinking. */
  block(role: string, block: Json): void {
    for (const name of referencesIn(block)) this.referenced.add(name);
    const isText = block.type === 'text';
    // The vendor rejects blank texts, so clients leave out those it sent.
    if (isText && String(block.text).trim() === '') return;
    if (block.type === 'compaction') this.restart(block);
    else if (isText && role === 'assistant') this.spoken += String(block.text);
    else this.add(role, block);
  }

  here(): Prefix {
    const offered = this.tools.filter(
      (tool) => tool.defer_loading !== true || this.referenced.has(tool.name),
    );
    return {
      system: this.system,
      tools: digest(canonical(offered)),
      messages: this.digestHere(),
      previous: this.previous,
      lastRole: this.lastRole,
      trail: this.trail,
    };
  }

  /** Thinking that this walk did not read itself. */
  thought(proof: string): void {
    this.previous = digest(proof);
  }

  private add(role: string, block: Json): void {
    this.flush();
    this.rolled = digest([this.rolled, role, canonical(block)]);
  }

  /** A compaction on demand stands for the messages it replaced; one at a threshold starts anew. */
  private restart(block: Json): void {
    const made = decodeSignature(block.signature);
    const carriesOver =
      made !== undefined &&
      bindsThinking(claudeOf(made.model)) &&
      this.trail.length === 0 &&
      made.system === this.system &&
      made.tools === this.here().tools;
    this.spoken = '';
    this.rolled = carriesOver ? made.messages : digest(['compaction', block.content]);
    this.compaction = carriesOver ? { lastRole: made.lastRole, content: block.content } : undefined;
  }

  private flush(): void {
    this.rolled = this.digestHere();
    this.spoken = '';
  }

  private digestHere(): string {
    return this.spoken === ''
      ? this.rolled
      : digest([this.rolled, 'assistant', canonical({ type: 'text', text: this.spoken })]);
  }
}

export function isThinking(block: Json): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

/** All thinking blocks of a request with their prefixes; the walk is then at the end of the request. */
export function walkRequest(body: Json): { blocks: ThinkingBlock[]; walk: PrefixWalk } {
  const walk = new PrefixWalk(body);
  const blocks = records(body.messages).flatMap((message, i) => [...walk.message(message, i)]);
  return { blocks, walk };
}

export function blocksOf(content: unknown): Json[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return records(content);
}

function referencesIn(block: Json): unknown[] {
  if (block.type === 'tool_addition') return [record(block.tool).name];
  if (block.type === 'tool_reference') return [block.tool_name];
  return records(block.content).flatMap(referencesIn);
}

/** Without cache marks and the order of keys, which may change; a URL may be signed anew. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isRecord(value)) return value;
  const isUrl = value.type === 'url' && typeof value.url === 'string';
  return Object.keys(value)
    .filter((key) => key !== 'cache_control')
    .sort()
    .map((key) => [
      key,
      isUrl && key === 'url' ? String(value.url).replace(/\?.*$/, '') : canonical(value[key]),
    ]);
}
