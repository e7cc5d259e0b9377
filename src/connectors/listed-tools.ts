import type { Client, Tool } from '@modelcontextprotocol/client'
import type { ToolFacts } from '../knowledge/connectors/tool-facts.ts'

/** More pages, more tools and larger schemas are not read. */
const MOST_PAGES = 50
const MOST_TOOLS = 500
const MOST_SCHEMA_CHARACTERS = 1_000_000

/**
 * Asks for the tools, page after page. A server says as much as it likes, and every listing and every probe reads it, so
 * the first tools are kept for whose schemas there is room.
 */
export async function listServerTools(
  client: Client,
  params: { readonly _meta?: Record<string, unknown> },
  signal: AbortSignal,
): Promise<readonly ToolFacts[]> {
  // A server without tools does not know the request.
  if (client.getServerCapabilities()?.tools === undefined) return []
  const kept: ToolFacts[] = []
  let room = MOST_SCHEMA_CHARACTERS
  let cursor: string | undefined
  for (let page = 0; page < MOST_PAGES; page += 1) {
    // The method of the client for this keeps the tools, and checks results by what their server says about them.
    const request = { method: 'tools/list' as const, params: { ...params, ...(cursor !== undefined && { cursor }) } }
    const { tools, nextCursor } = await client.request(request, { signal })
    for (const tool of tools) {
      if (kept.length >= MOST_TOOLS) return kept
      const characters = JSON.stringify(tool.inputSchema).length
      if (characters > room) continue
      room -= characters
      kept.push(toToolFacts(tool))
    }
    if (nextCursor === undefined) break
    cursor = nextCursor
  }
  return kept
}

const toToolFacts = ({ name, title, description, inputSchema, annotations }: Tool): ToolFacts => ({
  name,
  title,
  description,
  annotations: { ...annotations },
  input_schema: inputSchema,
  reads_only: annotations?.readOnlyHint === true,
})
