/**
 * The vendor's own name of a model at a cloud, which sells it at the vendor's list price; null for others.
 * Bedrock: `us.anthropic.claude-sonnet-4-5-20250929-v1:0`. Vertex: `claude-sonnet-4-5@20250929`.
 */
export function originalOf(provider: string, id: string): { provider: string; id: string } | null {
  if (provider === 'bedrock') {
    const name = /(?:^|\.)anthropic\.(claude-.*?)(?:-v\d+(?::\d+\w*)?)?$/.exec(id)?.[1];
    return name === undefined ? null : { provider: 'anthropic', id: name };
  }
  if (provider !== 'vertex') return null;
  if (id.startsWith('claude-')) return { provider: 'anthropic', id };
  return id.startsWith('gemini-') ? { provider: 'google', id } : null;
}
