import { type Json, record, records, type SeenMessage, text, type View } from '../protocol.ts';
import { gather } from './gather.ts';

export function viewGoogle(body: Json, path: string): View {
  const contents = records(body.contents);
  const open: { id: string; name: string }[] = [];
  let counted = 0;
  // Older models give calls no ids; then name and order match a result to its call.
  const toMessages = (content: Json): SeenMessage[] => {
    const parts = records(content.parts);
    const calls = parts.filter(has('functionCall')).map((part) => {
      const call = record(part.functionCall);
      const id = typeof call.id === 'string' ? call.id : `call#${counted}`;
      counted += 1;
      open.push({ id, name: text(call.name) });
      return { id, name: text(call.name), input: call.args ?? {} };
    });
    const results = parts.filter(has('functionResponse')).map((part) => {
      const answer = record(part.functionResponse);
      const at = open.findIndex((call) =>
        answer.id === undefined ? call.name === answer.name : call.id === answer.id,
      );
      const [call] = at < 0 ? [] : open.splice(at, 1);
      const response = record(answer.response);
      return {
        callId: call?.id ?? text(answer.id),
        text: textOfResponse(response),
        isError: response.error !== undefined,
      };
    });
    const spoken: SeenMessage = {
      role: content.role === 'model' ? 'assistant' : 'user',
      text: parts
        .filter((part) => part.thought !== true)
        .map((part) => text(part.text))
        .join(''),
      calls,
      results: [],
      images: parts.filter(has('inlineData')).length,
      signatures: parts.flatMap((part) =>
        typeof part.thoughtSignature === 'string' ? [part.thoughtSignature] : [],
      ),
    };
    if (results.length === 0) return [spoken];
    const told: SeenMessage = { role: 'tool', text: '', calls: [], results };
    return spoken.text === '' && spoken.images === 0 ? [told] : [told, spoken];
  };

  const system = body.systemInstruction ?? body.system_instruction;
  return {
    model: modelIn(path),
    system: records(record(system).parts)
      .map((part) => text(part.text))
      .join(''),
    tools: records(body.tools).flatMap((tool) =>
      records(tool.functionDeclarations).map((known) => text(known.name)),
    ),
    messages: gather(contents.flatMap(toMessages)),
  };
}

export function modelIn(path: string): string {
  return decodeURIComponent(/\/models\/([^/:]+)/.exec(path)?.[1] ?? '');
}

function textOfResponse(response: Json): string {
  const said = response.output ?? response.error ?? response.result ?? response;
  return typeof said === 'string' ? said : JSON.stringify(said);
}

function has(key: string): (part: Json) => boolean {
  return (part) => part[key] !== undefined;
}
