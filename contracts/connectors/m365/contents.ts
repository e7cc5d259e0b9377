import { z } from 'zod'
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
