/**
 * How models announce calls in their text, from the chat templates that their makers publish. After one of these, the
 * rest of the reply is read as calls.
 */
export const MARKS = [
  // Mistral
  '[TOOL_CALLS]',
  // Llama 3.1 and 3.2
  '<|python_tag|>',
  // Granite 3, Phi 4 mini
  '<|tool_call|>',
  // Gemma 4, FunctionGemma
  '<|tool_call>',
  '<start_function_call>',
  // LFM 2
  '<|tool_call_start|>',
  // Kimi K2 and K3
  '<|tool_calls_section_begin|>',
  '<|tool_call_begin|>',
  '<|open|>tools<|sep|>',
  '<|open|>call ',
  // DeepSeek V3 to V3.2, R1
  '<｜tool▁calls▁begin｜>',
  '<｜tool▁call▁begin｜>',
  '<|tool▁calls▁begin|>',
  '<|tool▁call▁begin|>',
  '<｜DSML｜',
  // MiniMax M2, Anthropic, OLMo 3, Muse
  '<minimax:tool_call>',
  '<function_calls>',
  '<atem:function_calls>',
  '<invoke name=',
  // Qwen 3 Coder, Nemotron 3, Llama 3.1, Seed, LongCat
  '<function=',
  '<seed:tool_call>',
  '<longcat_tool_call>',
  // Nemotron, Jamba, Hunyuan, MiniMax M1, Apriel, Hermes, Granite 20B
  '<TOOLCALL>',
  '<tool_calls>',
  '<function_call>',
  '<tools>',
  '<tool_use>',
  // Command R7B and A, Apertus, InternLM, xLAM
  '<|START_ACTION|>',
  '<|tools_prefix|>',
  '<|action_start|>',
  '<|FunctionCallBegin|>',
  '&lt;tool_call&gt;',
] as const;

/** What announces calls only at the start of a line: Phi 4 mini, GigaChat 3, ReAct. */
export const LINE_MARKS = ['functools[', 'function call<|role_sep|>', 'Action:'] as const;

/** What stands between and around calls: opening and closing marks, fences, brackets of lists, separators. */
export const BETWEEN =
  /(?:\s|[;,]|`{3,}[ \t]*(?:json|xml|python|tool_code|tool_call)?|\[\/?TOOL_CALLS\]|functools(?=\[)|<\/?(?:tool_call|minimax:tool_call|function_calls|atem:function_calls|seed:tool_call|longcat_tool_call|TOOLCALL|tool_calls|function_call|tools|tool_use)>|<\/?[|｜](?:DSML[|｜](?:function_calls|tool_calls)>|\/?(?:tool_call|tool_call_start|tool_call_end|tool_calls_section_begin|tool_calls_section_end|tool_call_begin|tool▁calls▁begin|tool▁calls▁end|tool▁call▁begin|tool▁call▁end|tools_prefix|tools_suffix|python_tag|START_ACTION|END_ACTION|action_start|action_end|plugin|FunctionCallBegin|FunctionCallEnd|im_end|eot_id|eom_id|end|end_of_msg|role_sep|message_sep)[|｜]>)|<\|tool_call>|<tool_call\|>|<(?:start|end)_function_call>|<\|(?:open|close)\|>(?:tools|message|response)<\|sep\|>|<\|(?:open|close)\|>call<\|sep\|>|<[|｜]end▁of▁sentence[|｜]>|function call(?=<\|role_sep)|<\/s>)*/y;
