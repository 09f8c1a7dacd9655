import type { LocalModel, ServerKind } from './local-model.ts';
import { fieldsOf, numberAs, type Query, textAs, windowAs } from './query-server.ts';

/** The models with the details that this kind of server reports per model. */
export async function detailsOf(
  models: readonly LocalModel[],
  kind: ServerKind,
  ask: Query,
): Promise<LocalModel[]> {
  switch (kind) {
    case 'ollama':
      return Promise.all(
        models.map(async (model) => ({ ...model, ...(await ollamaFacts(model.name, ask)) })),
      );
    case 'lmstudio':
      return withRows(models, await lmStudioRows(ask));
    case 'llamacpp':
      return withProps(models, await ask('/props'));
    case 'vllm':
      // Its list is complete.
      return [...models];
    case 'openai': {
      // A custom server may be any of these.
      const [props, rows] = await Promise.all([ask('/props'), lmStudioRows(ask)]);
      return props === undefined ? withRows(models, rows) : withProps(models, props);
    }
  }
  return kind satisfies never;
}

type Facts = Omit<LocalModel, 'name'>;

async function ollamaFacts(model: string, ask: Query): Promise<Facts> {
  const { details, model_info, capabilities } = fieldsOf(await ask('/api/show', { model }));
  const { parameter_size, quantization_level } = fieldsOf(details);
  const window = Object.entries(fieldsOf(model_info)).find(([key]) => key.endsWith('.context_length'))?.[1];
  return {
    ...windowAs(window),
    ...textAs('parameters', parameter_size),
    ...textAs('quantization', quantization_level),
    ...(Array.isArray(capabilities) && {
      abilities: {
        tools: capabilities.includes('tools'),
        images: capabilities.includes('vision'),
        thinking: capabilities.includes('thinking'),
      },
    }),
  };
}

/** `/props` describes the one loaded model. */
function withProps(models: readonly LocalModel[], body: unknown): LocalModel[] {
  const { default_generation_settings, n_ctx, chat_template_caps, modalities, model_path } = fieldsOf(body);
  const caps = fieldsOf(chat_template_caps);
  // A template may write calls without ever showing the tools to the model.
  const shown = [caps.supports_tools, caps.supports_tool_calls].filter((cap) => typeof cap === 'boolean');
  const tools = shown.length > 0 ? shown.every(Boolean) : undefined;
  const { vision } = fieldsOf(modalities);
  const facts: Facts = {
    ...windowAs(fieldsOf(default_generation_settings).n_ctx, n_ctx),
    ...((typeof tools === 'boolean' || typeof vision === 'boolean') && {
      abilities: {
        ...(typeof tools === 'boolean' && { tools }),
        ...(typeof vision === 'boolean' && { images: vision }),
      },
    }),
    ...(body !== undefined && { loaded: true }),
  };
  return models.map((model) => ({
    ...model,
    ...facts,
    ...(typeof model_path === 'string' && {
      digest: [model_path, model.digest].filter(Boolean).join(' '),
      ...textAs('quantization', quantizationIn(model_path)),
    }),
  }));
}

/** A GGUF file name contains its quantization: `qwen3-8b-Q4_K_M.gguf`. */
function quantizationIn(file: string): string | undefined {
  return /[-._]((?:IQ|Q)\d\w*|BF16|F16|F32|MXFP4)\.gguf$/i.exec(file)?.[1];
}

async function lmStudioRows(ask: Query): Promise<Map<string, Facts>> {
  const [now, before] = await Promise.all([ask('/api/v1/models'), ask('/api/v0/models')]);
  const rows: unknown = fieldsOf(now).models ?? fieldsOf(before).data;
  const list = Array.isArray(rows) ? rows.map(fieldsOf) : [];
  return new Map(list.map((row) => [String(row.key ?? row.id), lmStudioFacts(row)]));
}

function lmStudioFacts(row: Record<string, unknown>): Facts {
  const instances = Array.isArray(row.loaded_instances) ? row.loaded_instances.map(fieldsOf) : [];
  const { capabilities } = row;
  const can = fieldsOf(capabilities);
  const listed: readonly unknown[] = Array.isArray(capabilities) ? capabilities : [];
  const quantization = fieldsOf(row.quantization).name ?? row.quantization;
  const loadedWindow = fieldsOf(instances[0]?.config).context_length ?? row.loaded_context_length;
  return {
    ...numberAs('sizeBytes', row.size_bytes),
    ...textAs('parameters', row.params_string),
    ...textAs('quantization', quantization),
    ...windowAs(loadedWindow, row.max_context_length),
    ...(capabilities !== undefined && {
      abilities: {
        tools: can.trained_for_tool_use === true || listed.includes('tool_use'),
        images: can.vision === true || row.type === 'vlm',
      },
    }),
    ...textAs('digest', [row.key ?? row.id, quantization, row.size_bytes].filter(Boolean).join(' ')),
    loaded: instances.length > 0 || row.state === 'loaded',
  };
}

function withRows(models: readonly LocalModel[], rows: ReadonlyMap<string, Facts>): LocalModel[] {
  return models.map((model) => ({ ...model, ...rows.get(model.name) }));
}
