import type { TextForm } from './forms.ts';

/** A file that every form means to read, in the working directory of the run. */
const P = 'a.txt';
const ARGS = `{"file_path": "${P}"}`;
const CALL = `{"name": "Read", "arguments": ${ARGS}}`;
const PYTHON = `Read(file_path="${P}")`;
const PARAMETER = `<parameter=file_path>\n${P}\n</parameter>`;

const LLAMA_CPP = 'ggml-org/llama.cpp models/templates/';
const VLLM = 'vllm-project/vllm examples/tool_chat_template_';
const VLLM_DOCS = 'vllm-project/vllm docs/features/tool_calling.md, ';
const FIELD = 'Replies of small models in a trial of eleven local models';

function family(name: string, source: string, forms: Record<string, string>): TextForm[] {
  return Object.entries(forms).map(([form, text]) => ({ family: name, source, name: form, text }));
}

const published: readonly TextForm[] = [
  ...family('Mistral', `${VLLM}mistral3.jinja`, {
    'list of calls': `[TOOL_CALLS] [{"name": "Read", "arguments": ${ARGS}, "id": "abcdef123"}]`,
    'list of calls, no space': `[TOOL_CALLS][${CALL}]`,
  }),
  ...family('Mistral', 'mistralai/Devstral-Small-2 chat_template.jinja', {
    'name and arguments': `[TOOL_CALLS]Read[ARGS]${ARGS}`,
    'name and arguments, twice': `[TOOL_CALLS]Read[ARGS]${ARGS}[TOOL_CALLS]Glob[ARGS]{"pattern": "*"}`,
  }),
  ...family('Mistral', 'mistralai/mistral-common, tokenizer v11 and v13', {
    'with a call id': `[TOOL_CALLS]Read[CALL_ID]abcdef123[ARGS]${ARGS}`,
    'name before JSON': `[TOOL_CALLS]Read${ARGS}`,
  }),
  ...family('Llama 3.1', `${VLLM}llama3.1_json.jinja`, {
    parameters: `{"name": "Read", "parameters": ${ARGS}}`,
    'after the Python tag': `<|python_tag|>{"name": "Read", "parameters": ${ARGS}}`,
    'type and name': `{"type": "function", "name": "Read", "parameters": ${ARGS}}`,
    'end of turn': `{"name": "Read", "parameters": ${ARGS}}<|eot_id|>`,
  }),
  ...family('Llama 3.1', `${VLLM}llama3.1_usr_def_tool_call.jinja`, {
    'function tag with JSON': `<function=Read>${ARGS}</function>`,
  }),
  ...family('Llama 3.2, 4', `${VLLM}llama4_pythonic.jinja`, {
    'list of Python': `[${PYTHON}]`,
    'list of Python, two': `[${PYTHON}, Glob(pattern='*')]`,
    'list of Python after the tag': `<|python_tag|>[${PYTHON}]`,
    'one Python call': PYTHON,
  }),
  ...family('Qwen 2.5, 3', `${VLLM}hermes.jinja`, {
    tag: `<tool_call>\n${CALL}\n</tool_call>`,
    'tag, two': `<tool_call>\n${CALL}\n</tool_call>\n<tool_call>\n{"name": "Glob", "arguments": {"pattern": "*"}}\n</tool_call>`,
  }),
  ...family('Qwen 3 Coder', `${VLLM}qwen3coder.jinja`, {
    'function in a tag': `<tool_call>\n<function=Read>\n${PARAMETER}\n</function>\n</tool_call>`,
    'without the outer tag': `<function=Read>\n${PARAMETER}\n</function>`,
    'without the opening tag': `<function=Read>\n${PARAMETER}\n</function>\n</tool_call>`,
    'two without tags': `<function=Read>\n${PARAMETER}\n</function>\n<function=Glob>\n<parameter=pattern>\n*\n</parameter>\n</function>`,
  }),
  ...family('Hermes', `${VLLM}hermes_2_pro.jinja`, {
    'arguments first': `<tool_call>\n{"arguments": ${ARGS}, "name": "Read"}\n</tool_call>`,
    'Python quotes': `<tool_call>\n{'arguments': {'file_path': '${P}'}, 'name': 'Read'}\n</tool_call>`,
  }),
  ...family('Gemma 3', `${VLLM}gemma3_pythonic.jinja`, {
    'list of Python': `[${PYTHON}]`,
    tool_code: `\`\`\`tool_code\n${PYTHON}\n\`\`\``,
    'printed tool_code': `\`\`\`tool_code\nprint(default_api.${PYTHON})\n\`\`\``,
  }),
  ...family('Gemma 4', `${LLAMA_CPP}google-gemma-4-31B-it-interleaved.jinja`, {
    call: `<|tool_call>call:Read{file_path:<|"|>${P}<|"|>}<tool_call|>`,
    'call, two': `<|tool_call>call:Read{file_path:<|"|>${P}<|"|>}<tool_call|><|tool_call>call:Glob{pattern:<|"|>*<|"|>}<tool_call|>`,
    'call with a number': `<|tool_call>call:Read{file_path:<|"|>${P}<|"|>,limit:10}<tool_call|>`,
  }),
  ...family('FunctionGemma', `${VLLM_DOCS}FunctionGemma`, {
    call: `<start_function_call>call:Read{file_path:<escape>${P}<escape>}<end_function_call>`,
  }),
  ...family('Phi 4', `${VLLM}phi4_mini.jinja`, {
    functools: `functools[${CALL}]`,
    'tool_call tag': `<|tool_call|>[${CALL}]<|/tool_call|>`,
  }),
  ...family('Granite', `${VLLM_DOCS}IBM Granite`, {
    'tag before a list': `<|tool_call|>[${CALL}]`,
    'tag before a list, spaced': `<|tool_call|> [${CALL}]`,
    'function_call (20B)': `<function_call> ${CALL}`,
    'tool_call (4)': `<tool_call>\n${CALL}\n</tool_call>`,
  }),
  ...family('MiniMax', `${LLAMA_CPP}unsloth-MiniMax-M2.jinja`, {
    'M2 invoke': `<minimax:tool_call>\n<invoke name="Read">\n<parameter name="file_path">${P}</parameter>\n</invoke>\n</minimax:tool_call>`,
  }),
  ...family('MiniMax', `${VLLM}minimax_m1.jinja`, {
    'M1 tool_calls': `<tool_calls>\n${CALL}\n</tool_calls>`,
  }),
  ...family('Kimi', `${LLAMA_CPP}moonshotai-Kimi-K2.jinja`, {
    'K2 section': `<|tool_calls_section_begin|><|tool_call_begin|>functions.Read:0<|tool_call_argument_begin|>${ARGS}<|tool_call_end|><|tool_calls_section_end|>`,
    'K2 without the section': `<|tool_call_begin|>functions.Read:0<|tool_call_argument_begin|>${ARGS}<|tool_call_end|>`,
  }),
  ...family('Kimi', `${LLAMA_CPP}Kimi-K3.jinja`, {
    'K3 arguments': `<|open|>tools<|sep|><|open|>call tool="Read" index="1"<|sep|><|open|>argument key="file_path" type="string"<|sep|>${P}<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>`,
    'K3 JSON': `<|open|>tools<|sep|><|open|>call tool="Read" index="1"<|sep|><|open|>json type="object"<|sep|>${ARGS}<|close|>json<|sep|><|close|>call<|sep|><|close|>tools<|sep|>`,
  }),
  ...family('DeepSeek', `${VLLM}deepseekv3.jinja`, {
    'V3, R1': `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>Read\n\`\`\`json\n${ARGS}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  }),
  ...family('DeepSeek', `${VLLM}deepseekv31.jinja`, {
    'V3.1': `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>Read<｜tool▁sep｜>${ARGS}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  }),
  ...family('DeepSeek', `${LLAMA_CPP}DeepSeek-V3.2.jinja`, {
    'V3.2 DSML': `<｜DSML｜function_calls>\n<｜DSML｜invoke name="Read">\n<｜DSML｜parameter name="file_path" string="true">${P}</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>`,
    'V3.2 DSML with a number': `<｜DSML｜function_calls>\n<｜DSML｜invoke name="Read">\n<｜DSML｜parameter name="file_path" string="true">${P}</｜DSML｜parameter>\n<｜DSML｜parameter name="limit" string="false">10</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>`,
  }),
  ...family('GLM', `${LLAMA_CPP}GLM-4.6.jinja`, {
    'keys and values': `<tool_call>Read\n<arg_key>file_path</arg_key>\n<arg_value>${P}</arg_value>\n</tool_call>`,
    'keys and values, one line': `<tool_call>Read<arg_key>file_path</arg_key><arg_value>${P}</arg_value></tool_call>`,
  }),
  ...family('Nemotron', `${LLAMA_CPP}nvidia-Llama-3_3-Nemotron-Super-49B-v1_5.jinja`, {
    TOOLCALL: `<TOOLCALL>[${CALL}]</TOOLCALL>`,
  }),
  ...family('Nemotron', `${VLLM}nemotron_nano_v2.jinja`, {
    'TOOLCALL, unclosed': `<TOOLCALL>[${CALL}]`,
  }),
  ...family('gpt-oss', 'openai/harmony docs/format.md', {
    commentary: `<|channel|>commentary to=functions.Read <|constrain|>json<|message|>${ARGS}<|call|>`,
    'role first': `<|start|>assistant to=functions.Read<|channel|>commentary json<|message|>${ARGS}<|call|>`,
  }),
  ...family('LFM 2', `${LLAMA_CPP}LFM2.5-8B-A1B.jinja`, {
    'list of Python': `<|tool_call_start|>[Read(file_path='${P}')]<|tool_call_end|>`,
    'list of Python, two': `<|tool_call_start|>[Read(file_path='${P}'), Glob(pattern='*')]<|tool_call_end|>`,
  }),
  ...family('OLMo 3', `${VLLM}olmo3.jinja`, {
    'Python in tags': `<function_calls>\nRead(file_path='${P}')\n</function_calls>`,
    'Python in tags, two': `<function_calls>\nRead(file_path='${P}')\nGlob(pattern='*')\n</function_calls>`,
  }),
  ...family('Hunyuan', `${VLLM}hunyuan_a13b.jinja`, { tool_calls: `<tool_calls>[${CALL}]</tool_calls>` }),
  ...family('Apriel', `${LLAMA_CPP}unsloth-Apriel-1.5.jinja`, {
    'tool_calls with ids': `<tool_calls>[{"name": "Read", "arguments": ${ARGS}, "id": "call_1"}]</tool_calls>`,
  }),
  ...family('Apertus', `${VLLM}apertus.jinja`, {
    tools: `<|tools_prefix|>[{"Read": ${ARGS}}]<|tools_suffix|>`,
  }),
  ...family('Command', `${LLAMA_CPP}CohereForAI-c4ai-command-r7b-12-2024-tool_use.jinja`, {
    action: `<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "Read", "parameters": ${ARGS}}\n]<|END_ACTION|>`,
  }),
  ...family('InternLM', `${VLLM}internlm2_tool.jinja`, {
    plugin: `<|action_start|><|plugin|>\n{"name": "Read", "parameters": ${ARGS}}<|action_end|>`,
  }),
  ...family('GigaChat', `${LLAMA_CPP}GigaChat3-10B-A1.8B.jinja`, {
    'function call': `function call<|role_sep|>\n${CALL}`,
  }),
  ...family('Seed', `${LLAMA_CPP}ByteDance-Seed-OSS.jinja`, {
    tag: `<seed:tool_call>\n<function=Read>\n<parameter=file_path>${P}</parameter>\n</function>\n</seed:tool_call>`,
  }),
  ...family('LongCat', `${VLLM_DOCS}LongCat`, { tag: `<longcat_tool_call>${CALL}</longcat_tool_call>` }),
  ...family('Muse', `${VLLM}muse_glimmer.jinja`, {
    invoke: `<atem:function_calls>\n<atem:invoke name="Read">\n<atem:parameter name="file_path">${P}</atem:parameter>\n</atem:invoke>\n</atem:function_calls>`,
  }),
  ...family('StepFun', `${LLAMA_CPP}StepFun3.7-Flash.jinja`, {
    'function in a tag': `<tool_call>\n<function=Read>\n${PARAMETER}\n</function></tool_call>`,
  }),
  ...family('xLAM', `${VLLM}xlam_qwen.jinja`, {
    'list of calls': `[${CALL}]`,
    'list in a fence': `\`\`\`json\n[${CALL}]\n\`\`\``,
  }),
  ...family('Claude', 'docs.anthropic.com, tool use in XML', {
    invoke: `<function_calls>\n<invoke name="Read">\n<parameter name="file_path">${P}</parameter>\n</invoke>\n</function_calls>`,
    'invoke alone': `<invoke name="Read">\n<parameter name="file_path">${P}</parameter>\n</invoke>`,
  }),
];

/** What models make of these formats, and of any example. */
const variations: readonly TextForm[] = [
  ...family('tag', FIELD, {
    unclosed: `<tool_call>\n${CALL}`,
    'missing brace': `<tool_call>\n${CALL.slice(0, -1)}\n</tool_call>`,
    'no opening tag': `${CALL}\n</tool_call>`,
    'one line': `<tool_call>${CALL}</tool_call>`,
    'trailing commas': `<tool_call>\n{"name": "Read", "arguments": {"file_path": "${P}",},}\n</tool_call>`,
    'lower case': `<tool_call>\n{"name": "read", "arguments": ${ARGS}}\n</tool_call>`,
    'arguments as text': `<tool_call>\n{"name": "Read", "arguments": ${JSON.stringify(ARGS)}}\n</tool_call>`,
    'two in one': `<tool_call>\n${CALL}\n{"name": "Glob", "arguments": {"pattern": "*"}}\n</tool_call>`,
    flat: `<tool_call>\n{"name": "Read", "file_path": "${P}"}\n</tool_call>`,
    'name as key': `<tool_call>\n{"Read": ${ARGS}}\n</tool_call>`,
    'fence inside': `<tool_call>\n\`\`\`json\n${CALL}\n\`\`\`\n</tool_call>`,
    'fence outside': `\`\`\`xml\n<tool_call>\n${CALL}\n</tool_call>\n\`\`\``,
    'function object': `<tool_call>{"type": "function", "function": {"name": "Read", "arguments": ${JSON.stringify(ARGS)}}}</tool_call>`,
    'other argument name': `<tool_call>\n{"name": "Read", "arguments": {"path": "${P}"}}\n</tool_call>`,
    'Python inside': `<tool_call>\n${PYTHON}\n</tool_call>`,
    'after a thought': `<think>\nI should read it.\n</think>\n<tool_call>\n${CALL}\n</tool_call>`,
    'escaped for HTML': `&lt;tool_call&gt;${CALL}&lt;/tool_call&gt;`,
    function_call: `<function_call>${CALL}</function_call>`,
    tools: `<tools>\n${CALL}\n</tools>`,
    tool_use: `<tool_use>${CALL}</tool_use>`,
    'opening tag instead of the closing one': `<tool_call>\n${CALL}\n<tool_call>`,
  }),
  ...family('bare JSON', FIELD, {
    alone: CALL,
    indented: JSON.stringify(JSON.parse(CALL), null, 2),
    'on the same line': `I will read the file: ${CALL}`,
    'function object': `{"type": "function", "function": ${CALL}}`,
    'tool and input': `{"tool": "Read", "input": ${ARGS}}`,
    'tool_name and args': `{"tool_name": "Read", "args": ${ARGS}}`,
    'action and action_input': `{"action": "Read", "action_input": ${ARGS}}`,
    'name as key': `{"Read": ${ARGS}}`,
    'single quotes': `{'name': 'Read', 'arguments': {'file_path': '${P}'}}`,
  }),
  ...family('fence', FIELD, {
    tool_call: `\`\`\`tool_call\n${CALL}\n\`\`\``,
    json: `\`\`\`json\n${CALL}\n\`\`\``,
    'json, after words': `I read it.\n\`\`\`json\n${CALL}\n\`\`\``,
    'no word': `\`\`\`\n${CALL}\n\`\`\``,
    python: `\`\`\`python\n${PYTHON}\n\`\`\``,
    'Python without a word': `\`\`\`\n${PYTHON}\n\`\`\``,
    unclosed: `\`\`\`json\n${CALL}`,
  }),
  ...family('ReAct', 'langchain-ai/langchain ReAct prompt', {
    'thought, action, input': `Thought: I need the file.\nAction: Read\nAction Input: ${ARGS}`,
    'action, input': `Action: Read\nAction Input: ${ARGS}`,
  }),
];

/** Formats that may follow an introduction, as models like to write one. */
const introduced = published
  .filter(({ family: name }) => !['gpt-oss', 'GigaChat', 'xLAM'].includes(name))
  .map((form) => ({
    ...form,
    name: `${form.name}, after words`,
    text: `I will read the file.\n${form.text}`,
  }));

export const textForms: readonly TextForm[] = [...published, ...variations, ...introduced];
