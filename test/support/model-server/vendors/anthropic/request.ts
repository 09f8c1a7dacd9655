import { Ajv2020 } from 'ajv/dist/2020.js';
import { imageOf } from '../../../../../src/lib/images/image-kind.ts';
import { isRecord, type Json, record, records } from '../../protocol.ts';
import { betasOf, type Rule, type Violation } from '../rule.ts';
import { vendorOf } from '../vendor-of.ts';
import { claudeOf, takesFastMode, windowOf } from './claude.ts';
import { blocksOf } from './prefix.ts';

const FIELDS = new Set(
  `model messages max_tokens system tools tool_choice stream temperature top_p top_k stop_sequences thinking metadata
  service_tier cache_control container context_management mcp_servers output_config output_format inference_geo
  speed diagnostics compaction fallbacks anthropic_beta`.split(/\s+/),
);
const VERSIONS = ['2023-01-01', '2023-06-01', '2026-10-21'];
export const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
/** Tools of the vendor's own. */
const VENDOR_TOOL = /^(web_search|web_fetch|code_execution|tool_search_tool_(regex|bm25))_\d{8}$/;
const FAST_BETA = 'fast-mode-2026-02-01';
const FALLBACK_BETA = 'server-side-fallback-2026-07-01';
const MEGABYTE = 1024 * 1024;
const schemas = new Ajv2020({ strict: false });

export const requestRules: Rule[] = [
  {
    rule: 'a request names a known API version',
    page: 'api/versioning',
    *check({ headers }) {
      const version = headers['anthropic-version'];
      if (!version) yield 'anthropic-version: header is required';
      else if (!VERSIONS.includes(String(version)))
        yield `anthropic-version: "${String(version)}" is not a valid version`;
    },
  },
  {
    rule: 'a request is at most 32 MB',
    page: 'api/errors',
    *check({ body }): Generator<Violation> {
      if (Buffer.byteLength(JSON.stringify(body)) > 32 * MEGABYTE)
        yield { status: 413, message: 'Request exceeds the maximum size' };
    },
  },
  {
    rule: 'required fields are there, and no unknown ones',
    page: 'api/messages',
    *check({ body, counting }) {
      const required = counting ? ['model', 'messages'] : ['model', 'max_tokens', 'messages'];
      for (const field of required) if (body[field] === undefined) yield `${field}: Field required`;
      for (const field of Object.keys(body))
        if (!FIELDS.has(field)) yield `${field}: Extra inputs are not permitted`;
      const { max_tokens } = body;
      if (max_tokens !== undefined && !(Number.isInteger(max_tokens) && Number(max_tokens) >= 1))
        yield 'max_tokens: Input should be greater than or equal to 1';
    },
  },
  {
    rule: 'version 2026-10-21 has no sampling parameters, documents of the assistant, or citations of the user',
    page: 'api/versioning',
    *check({ body, headers }) {
      if (headers['anthropic-version'] !== '2026-10-21') return;
      for (const field of ['temperature', 'top_p', 'top_k'])
        if (body[field] !== undefined) yield `${field}: Extra inputs are not permitted`;
      for (const [i, { role, content }] of records(body.messages).entries()) {
        for (const [j, block] of blocksOf(content).entries()) {
          const at = `messages.${i}.content.${j}`;
          if (role === 'assistant' && block.type === 'document')
            yield `${at}: Input tag 'document' found using 'type' does not match any of the expected tags`;
          const inner = block.type === 'search_result' ? records(block.content) : [block];
          const cited = inner.some(({ citations }) => Array.isArray(citations) && citations.length > 0);
          if (role === 'user' && cited) yield `${at}.text.citations: Extra inputs are not permitted`;
        }
      }
    },
  },
  {
    rule: 'the system prompt is text that is not empty',
    page: 'api/messages',
    *check({ body }) {
      for (const block of records(body.system)) {
        if (block.type !== 'text') yield 'system: Input should be a list of text blocks';
        if (block.text === '') yield 'system: text content blocks must be non-empty';
      }
    },
  },
  {
    rule: 'tools have unique names and an object schema without alternatives at the top',
    page: 'agents-and-tools/tool-use/implement-tool-use',
    *check({ body }) {
      const tools = records(body.tools);
      const names = tools.map((tool) => tool.name);
      if (new Set(names).size < names.length) yield 'tools: Tool names must be unique.';
      for (const [i, tool] of tools.entries()) {
        if (!VENDOR_TOOL.test(String(tool.type))) yield* toolViolations(tool, `tools.${i}.custom`);
      }
    },
  },
  {
    rule: 'at most four blocks are marked for the cache',
    page: 'build-with-claude/prompt-caching',
    *check({ body }) {
      const marks = marksOf(body).length;
      if (marks > 4) yield `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`;
    },
  },
  {
    rule: 'cache marks of an hour come before those of five minutes',
    page: 'build-with-claude/prompt-caching',
    *check({ body }) {
      const ttls = marksOf(body).map(({ ttl = '5m' }) => ttl);
      for (const ttl of ttls)
        if (ttl !== '5m' && ttl !== '1h') yield `cache_control.ephemeral.ttl: Input should be '5m' or '1h'`;
      if (ttls.lastIndexOf('1h') > ttls.indexOf('5m') && ttls.includes('5m'))
        yield "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.";
    },
  },
  {
    rule: 'service_tier is auto or standard_only',
    page: 'api/service-tiers',
    *check(request) {
      const { service_tier: tier } = request.body;
      if (vendorOf(request) !== 'anthropic') return;
      if (tier !== undefined && tier !== 'auto' && tier !== 'standard_only')
        yield "service_tier: Input should be 'auto' or 'standard_only'";
    },
  },
  {
    rule: 'fast mode and fallbacks have their beta headers, and fast mode its models',
    page: 'build-with-claude/fast-mode',
    *check({ body, headers, model }) {
      const betas = betasOf({ body, headers });
      if (body.fallbacks !== undefined && !betas.has(FALLBACK_BETA))
        yield 'fallbacks: Extra inputs are not permitted';
      if (body.speed === undefined) return;
      const claude = claudeOf(model);
      if (!betas.has(FAST_BETA)) yield 'speed: Extra inputs are not permitted';
      else if (body.speed === 'fast' && claude && !takesFastMode(claude))
        yield 'speed: fast mode is not supported on this model';
    },
  },
  {
    rule: 'images are few and small enough',
    page: 'build-with-claude/vision',
    *check({ body, model }) {
      const images = records(body.messages).flatMap(({ content }) =>
        blocksOf(content).flatMap((block) =>
          [block, ...(block.type === 'tool_result' ? records(block.content) : [])].filter(
            ({ type }) => type === 'image',
          ),
        ),
      );
      const most = windowOf(claudeOf(model)) === 200_000 ? 100 : 600;
      if (images.length > most) yield `Too many images: ${images.length}. At most ${most} are allowed.`;
      for (const { source } of images) yield* imageViolations(record(source), images.length);
    },
  },
];

function* toolViolations(tool: Json, at: string): Generator<string> {
  if (!TOOL_NAME.test(String(tool.name)))
    yield `${at}.name: String should match pattern '${TOOL_NAME.source}'`;
  if (!isRecord(tool.input_schema)) {
    yield `${at}.input_schema: Field required`;
    return;
  }
  if (tool.input_schema.type !== 'object') yield `${at}.input_schema.type: Input should be 'object'`;
  if (['oneOf', 'anyOf', 'allOf'].some((word) => word in record(tool.input_schema))) {
    yield `${at}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`;
  }
  const { $schema: _dialect, ...schema } = tool.input_schema;
  if (!schemas.validateSchema(schema))
    yield `${at}.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12`;
}

function* imageViolations({ type, data }: Json, count: number): Generator<string> {
  if (type !== 'base64' || typeof data !== 'string') return;
  if (data.length > 10 * MEGABYTE)
    yield `image exceeds 10 MB maximum: ${data.length} bytes > ${10 * MEGABYTE} bytes`;
  const size = imageOf(Buffer.from(data, 'base64'))?.size;
  const longest = Math.max(size?.width ?? 0, size?.height ?? 0);
  if (longest > 8000) yield 'At least one of the image dimensions exceed max allowed size: 8000 pixels';
  else if (count > 20 && longest > 2000)
    yield 'At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels';
}

/** In the order in which the vendor caches: tools, system, messages. Automatic caching marks the last block. */
function marksOf(body: Json): Json[] {
  const inMessages = records(body.messages)
    .flatMap(({ content }) => records(content))
    .flatMap((block) => [...records(block.content), block]);
  const all = [...records(body.tools), ...records(body.system), ...inMessages, body];
  return all.flatMap(({ cache_control }) => (isRecord(cache_control) ? [cache_control] : []));
}
