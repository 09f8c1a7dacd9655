/** Replies of vendors that searched the web, as their servers stream them. */

const sse = (frame: { type?: string }) =>
  `${frame.type ? `event: ${frame.type}\n` : ''}data: ${JSON.stringify(frame)}\n\n`;

const url = 'https://nodejs.org/api/stream.html';
const other = 'https://blog.test/streams';

const anthropic = [
  {
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-haiku-5-5',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 100, output_tokens: 1 },
    },
  },
  {
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
  },
  {
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'input_json_delta', partial_json: '{"query":"node streams"}' },
  },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'content_block_start',
    index: 1,
    content_block: {
      type: 'web_search_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: [
        {
          type: 'web_search_result',
          url,
          title: 'Stream | Node.js',
          encrypted_content: 'EqgfCioIARgBIiQ3',
          page_age: 'April 30, 2026',
        },
        {
          type: 'web_search_result',
          url: other,
          title: 'My streams',
          encrypted_content: 'Eqgf',
          page_age: null,
        },
      ],
    },
  },
  { type: 'content_block_stop', index: 1 },
  { type: 'content_block_start', index: 2, content_block: { type: 'text', text: '', citations: [] } },
  { type: 'content_block_delta', index: 2, delta: { type: 'text_delta', text: 'Streams are interfaces.' } },
  {
    type: 'content_block_delta',
    index: 2,
    delta: {
      type: 'citations_delta',
      citation: {
        type: 'web_search_result_location',
        url,
        title: 'Stream | Node.js',
        encrypted_index: 'Eo8BCio',
        cited_text: 'A stream is an abstract interface.',
      },
    },
  },
  { type: 'content_block_stop', index: 2 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { input_tokens: 6039, output_tokens: 931, server_tool_use: { web_search_requests: 1 } },
  },
  { type: 'message_stop' },
];

const message = {
  type: 'message',
  id: 'msg_1',
  status: 'completed',
  role: 'assistant',
  content: [
    {
      type: 'output_text',
      text: 'A stream is an abstract interface. (nodejs.org)',
      annotations: [{ type: 'url_citation', start_index: 35, end_index: 47, url, title: 'Stream | Node.js' }],
    },
  ],
};

const openai = [
  {
    type: 'response.output_item.added',
    output_index: 0,
    item: { type: 'web_search_call', id: 'ws_1', status: 'in_progress' },
  },
  { type: 'response.web_search_call.in_progress', output_index: 0, item_id: 'ws_1' },
  { type: 'response.web_search_call.searching', output_index: 0, item_id: 'ws_1' },
  { type: 'response.web_search_call.completed', output_index: 0, item_id: 'ws_1' },
  {
    type: 'response.output_item.done',
    output_index: 0,
    item: {
      type: 'web_search_call',
      id: 'ws_1',
      status: 'completed',
      action: {
        type: 'search',
        query: 'node streams',
        sources: [
          { type: 'url', url },
          { type: 'url', url: other },
        ],
      },
    },
  },
  {
    type: 'response.output_text.delta',
    output_index: 1,
    item_id: 'msg_1',
    content_index: 0,
    delta: 'A stream is an abstract interface. (nodejs.org)',
  },
  { type: 'response.output_item.done', output_index: 1, item: message },
  {
    type: 'response.completed',
    response: {
      id: 'resp_1',
      status: 'completed',
      output: [message],
      usage: { input_tokens: 6039, output_tokens: 931, total_tokens: 6970 },
    },
  },
];

const google = [
  {
    candidates: [
      { content: { role: 'model', parts: [{ text: 'A stream is an abstract interface.' }] }, index: 0 },
    ],
  },
  {
    candidates: [
      {
        content: { role: 'model', parts: [{ text: '' }] },
        finishReason: 'STOP',
        index: 0,
        groundingMetadata: {
          webSearchQueries: ['node streams'],
          searchEntryPoint: { renderedContent: '<style></style>' },
          groundingChunks: [
            {
              web: {
                uri: 'https://vertexaisearch.cloud.google.com/grounding-api-redirect/A1',
                title: 'nodejs.org',
              },
            },
            {
              web: {
                uri: 'https://vertexaisearch.cloud.google.com/grounding-api-redirect/B2',
                title: 'blog.test',
              },
            },
          ],
          groundingSupports: [
            {
              segment: { startIndex: 0, endIndex: 34, text: 'A stream is an abstract interface.' },
              groundingChunkIndices: [0],
            },
          ],
        },
      },
    ],
    usageMetadata: { promptTokenCount: 39, candidatesTokenCount: 31, totalTokenCount: 70 },
  },
];

/** The frames of each protocol whose vendor can search. */
export const searchFrames = { anthropic, 'openai-responses': openai, google } as const;

/** The same as chunks on the wire. */
export function searchChunks(protocol: keyof typeof searchFrames): string[] {
  return searchFrames[protocol].map(sse);
}
