import { z } from 'zod'
import { ContentRef, readConnectorContent } from '@apprentice/contracts/connectors/m365/contents.ts'
import { defineTool, READ_ONLY, type Tool } from '../tool/tool.ts'

const MAX_BYTES = 16_384

const readContent = defineTool({
  name: 'read_content',
  title: 'Read a content',
  description: 'Reads a file or text that a connector stored under a content_ref, part by part.',
  input: z.object({ content_ref: ContentRef, offset: z.int().min(0).default(0) }),
  output: z.object({
    file_name: z.string(),
    media_type: z.string(),
    bytes: z.int(),
    encoding: z.enum(['utf8', 'base64']),
    next_offset: z.int().optional(),
    data: z.string(),
  }),
  annotations: READ_ONLY,
  run: async ({ content_ref, offset }, { call }) => {
    const params = { contentRef: content_ref }
    const part = await call(readConnectorContent, { params, query: { offset, max_bytes: MAX_BYTES } })
    const { schema_version: _s, content_ref: _c, ...structured } = part
    return { structured, text: part.data }
  },
})

export const contentTools: readonly Tool[] = [readContent]
