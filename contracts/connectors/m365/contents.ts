import { z } from 'zod'
import { SchemaVersion } from '../../base/fields.ts'
import { route } from '../../base/route.ts'

/** Names a file or text that a connector returned. It is not a path. */
export const ContentRef = z.string().regex(/^content:[0-9a-f-]{36}$/)

export const getConnectorContent = route({
  method: 'GET',
  url: '/api/capabilities/connectors/contents/:contentRef',
  tag: 'connectors',
  summary: 'Download a file or text that a connector returned; it is kept for 24 hours, for the user who called',
  privilege: 'read',
  params: z.object({ contentRef: ContentRef }),
  reply: z.unknown(),
  media: 'application/octet-stream',
  fails: ['CONNECTOR_CONTENT_NOT_FOUND'],
})

export const readConnectorContent = route({
  method: 'GET',
  url: '/api/capabilities/connectors/contents/:contentRef/part',
  tag: 'connectors',
  summary: 'Read a part of a file or text that a connector returned, as text where it is text',
  privilege: 'read',
  params: z.object({ contentRef: ContentRef }),
  query: z.object({
    offset: z.coerce.number().int().min(0).default(0).describe('In bytes; `next_offset` of the part before'),
    max_bytes: z.coerce.number().int().min(1024).max(262_144).default(16_384),
  }),
  reply: z
    .object({
      content_ref: ContentRef,
      file_name: z.string(),
      media_type: z.string(),
      bytes: z.int().describe('The size of the whole content'),
      encoding: z.enum(['utf8', 'base64']),
      data: z.string(),
      next_offset: z.int().optional().describe('Absent: this is the end'),
      schema_version: SchemaVersion,
    })
    .meta({ id: 'ConnectorContentPart' }),
  fails: ['CONNECTOR_CONTENT_NOT_FOUND'],
})
