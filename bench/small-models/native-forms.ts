import type { NativeForm } from './forms.ts';

/** A file that every form means to read, in the working directory of the run. */
const P = 'a.txt';
const OK = `{"file_path":"${P}"}`;

const FIELD = 'Calls that servers passed on from small models, in a trial of eleven local models';
const OPENAI = 'https://platform.openai.com/docs/guides/structured-outputs (optional fields as null)';
const QWEN_CODE = 'QwenLM/qwen-code packages/core streamingToolCallParser.ts';
const LLAMA = 'vllm-project/vllm docs/features/tool_calling.md, Llama: arguments in an incorrect format';
const GPT_OSS = 'openai/harmony docs/format.md';
const KIMI = 'ggml-org/llama.cpp models/templates/moonshotai-Kimi-K2.jinja';
const GEMINI = 'googleapis/python-genai (default_api namespace)';
const PYTHON = 'Python repr() of a dict, as in vllm-project/vllm pythonic tool parser';

function group(family: string, source: string, forms: Record<string, string>): NativeForm[] {
  return Object.entries(forms).map(([name, json]) => ({ family, source, name, tool: 'Read', json }));
}

function names(family: string, source: string, list: readonly string[]): NativeForm[] {
  return list.map((tool) => ({ family, source, name: `name ${JSON.stringify(tool)}`, tool, json: OK }));
}

const broken = group('broken JSON', FIELD, {
  'trailing comma': `{"file_path":"${P}",}`,
  'missing brace': `{"file_path":"${P}"`,
  'missing brace after a number': `{"file_path":"${P}","limit":10`,
  'extra brace': `${OK}}`,
  'two extra braces': `${OK}}}`,
  'extra bracket': `${OK}]`,
  'bare keys': `{file_path: "${P}"}`,
  'bare keys, two': `{file_path: "${P}", limit: 10}`,
  'one bare key': `{"file_path": "${P}", limit: 10}`,
  'single quotes': `{'file_path': '${P}'}`,
  'single quotes, bare keys': `{file_path: '${P}'}`,
  'mixed quotes': `{"file_path": '${P}'}`,
  'smart quotes': `{“file_path”: “${P}”}`,
  'smart single quotes': `{‘file_path’: ‘${P}’}`,
  'line comment': `{"file_path":"${P}" // the file\n}`,
  'block comment': `{/* the file */ "file_path":"${P}"}`,
  'hash comment': `{"file_path":"${P}" # the file\n}`,
  'trailing semicolon': `${OK};`,
  'trailing comma after': `${OK},`,
  'line breaks everywhere': `{\n\n"file_path"\n:\n"${P}"\n\n}\n`,
  'twice the same': OK + OK,
  'twice the same, on two lines': `${OK}\n${OK}`,
  'empty object before': `{}${OK}`,
  'byte order mark': `\uFEFF${OK}`,
});
const python = group('Python', PYTHON, {
  None: `{'file_path': '${P}', 'limit': None}`,
  'None, double quotes': `{"file_path": "${P}", "limit": None, "offset": None}`,
  keywords: `file_path="${P}"`,
  'keywords, single quotes': `file_path='${P}'`,
  'two keywords': `file_path="${P}", limit=10`,
  'keywords in brackets': `(file_path="${P}")`,
  'a call': `Read(file_path="${P}")`,
  'dict()': `dict(file_path="${P}")`,
  'long quotes': `{"file_path": """${P}"""}`,
});
const around = group('text around', FIELD, {
  'fence json': `\`\`\`json\n${OK}\n\`\`\``,
  fence: `\`\`\`\n${OK}\n\`\`\``,
  'fence, unclosed': `\`\`\`json\n${OK}`,
  'fence, one line': `\`\`\`${OK}\`\`\``,
  'words before': `Here are the arguments: ${OK}`,
  'words before, own line': `Here are the arguments:\n${OK}`,
  'words after': `${OK}\nThis reads the file.`,
  'end of turn, ChatML': `${OK}<|im_end|>`,
  'end of turn, Llama': `${OK}<|eot_id|>`,
  'end of sequence': `${OK}</s>`,
  'closing tag': `${OK}\n</tool_call>`,
  'both tags': `<tool_call>${OK}</tool_call>`,
  'tool_code fence': `\`\`\`tool_code\n${OK}\n\`\`\``,
});
const wrapped = group('wrapped', LLAMA, {
  string: JSON.stringify(OK),
  'string, twice': JSON.stringify(JSON.stringify(OK)),
  list: `[${OK}]`,
  'list of a string': JSON.stringify([OK]),
  arguments: `{"arguments":${OK}}`,
  'arguments as text': JSON.stringify({ arguments: OK }),
  parameters: `{"parameters":${OK}}`,
  input: `{"input":${OK}}`,
  args: `{"args":${OK}}`,
  params: `{"params":${OK}}`,
  kwargs: `{"kwargs":${OK}}`,
  tool_input: `{"tool_input":${OK}}`,
  properties: `{"properties":${OK}}`,
  'name and arguments': `{"name":"Read","arguments":${OK}}`,
  'name and parameters': `{"name":"Read","parameters":${OK}}`,
  'tool and input': `{"tool":"Read","input":${OK}}`,
  'tool_name and args': `{"tool_name":"Read","args":${OK}}`,
  'type and function': `{"type":"function","function":{"name":"Read","arguments":${OK}}}`,
  'name as key': `{"Read":${OK}}`,
  'two wrappers': `{"arguments":{"arguments":${OK}}}`,
  'broken within': `{'arguments': {'file_path': '${P}',}}`,
});
const values = [
  ...group('optional fields', OPENAI, {
    null: `{"file_path":"${P}","limit":null,"offset":null}`,
    'null, all': `{"file_path":"${P}","limit":null,"offset":null,"pages":null}`,
    'empty text': `{"file_path":"${P}","limit":"","offset":""}`,
    'number as text': `{"file_path":"${P}","limit":"10"}`,
    'two numbers as text': `{"file_path":"${P}","limit":"10","offset":"1"}`,
    'extra key': `{"file_path":"${P}","reason":"to look"}`,
    'unknown key': `{"file_path":"${P}","encoding":"utf-8"}`,
  }),
  ...group('one value', FIELD, {
    'text alone': `"${P}"`,
    'list with a text': `["${P}"]`,
    'value in a list': `{"file_path":["${P}"]}`,
    'word alone': P,
    'tag of its own': `<file_path>${P}</file_path>`,
    'tags with breaks': `<file_path>\n${P}\n</file_path>`,
    'parameter tag': `<parameter=file_path>${P}</parameter>`,
    'parameter tag with name': `<parameter name="file_path">${P}</parameter>`,
    'arg_key and arg_value': `<arg_key>file_path</arg_key><arg_value>${P}</arg_value>`,
    'quotes of Gemma': `{file_path:<|"|>${P}<|"|>}`,
    'quotes of FunctionGemma': `{file_path:<escape>${P}<escape>}`,
  }),
  ...group('path', FIELD, {
    backticks: `{"file_path":"\`${P}\`"}`,
    'at sign': `{"file_path":"@${P}"}`,
    spaces: `{"file_path":" ${P} "}`,
    'line break': `{"file_path":"${P}\\n"}`,
    'file URL': `{"file_path":"file://${P}"}`,
    'dot slash': `{"file_path":"./${P}"}`,
    'quotes in quotes': `{"file_path":"'${P}'"}`,
  }),
];
const keys = group(
  'argument names',
  FIELD,
  Object.fromEntries(
    [
      ...['path', 'filepath', 'filePath', 'file', 'filename', 'absolute_path', 'target_file', 'FilePath'],
      ...['file-path', 'fileName', 'abs_path', 'relative_path', 'FILE_PATH'],
    ].map((key) => [key, JSON.stringify({ [key]: P })]),
  ),
);

export const nativeForms: readonly NativeForm[] = [
  ...group('correct', FIELD, { correct: OK }),
  ...broken,
  ...python,
  ...around,
  ...wrapped,
  ...values,
  ...keys,
  ...names('tool names', FIELD, ['read', 'READ', 'read_file', 'ReadFile', 'view', 'cat', 'open_file']),
  ...names('tool names', FIELD, ['Read()', ' Read ', 'ReadTool', '"Read"', '`Read`', 'Read_tool', 'Read:']),
  ...names('Kimi', KIMI, ['functions.Read', 'functions.Read:0', 'Read:0']),
  ...names('Gemini, Gemma', GEMINI, ['default_api.Read', 'default_api:Read']),
  ...names('gpt-oss', GPT_OSS, [
    'Read<|channel|>commentary',
    'Read<|constrain|>json',
    'assistant.functions.Read',
  ]),
  ...[
    { name: 'call in the name', tool: `Read(file_path="${P}")`, json: '{}' },
    { name: 'JSON in the name', tool: `Read${OK}`, json: '' },
    { name: 'no name', tool: 'function', json: `{"name":"Read","arguments":${OK}}` },
  ].map((form) => ({ ...form, family: 'tool names', source: QWEN_CODE })),
];
