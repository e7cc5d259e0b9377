import { z } from 'zod'
import { DateTime, SchemaVersion } from '../base/fields.ts'
import { route } from '../base/route.ts'

/** The data of one SSE frame of the stream over everything. Its id is `seq`. */
export const FeedEvent = z
  .object({
    seq: z.int().min(1).describe('The number in the global sequence, which is the id of the frame'),
    event_kind: z.string().max(80),
    subject: z
      .string()
      .max(400)
      .describe('What the event is about, such as learn/<id>, execution/<id> or device/<serial>'),
    user_id: z.string().max(160).optional().describe('Whose event it is; absent if it is for everyone or the daemon'),
    payload: z.record(z.string(), z.unknown()),
    correlation_id: z.string().max(200),
    timestamp: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'FeedEvent' })
export type FeedEvent = z.infer<typeof FeedEvent>

const KindPrefixes = z
  .string()
  .regex(/^[a-z_.]{1,80}(,[a-z_.]{1,80}){0,19}$/)
  .describe('Beginnings of kinds, separated by commas, such as ability.run.,device.')

export const streamEvents = route({
  method: 'GET',
  url: '/api/events',
  tag: 'events',
  summary: 'Stream the events of everything you may see, replayed from Last-Event-ID',
  privilege: 'read',
  query: z.object({
    scope: z.enum(['own', 'all']).default('own').describe('all: the events of all users; requires admin privilege'),
    kind: KindPrefixes.optional(),
    subject: z
      .string()
      .min(1)
      .max(400)
      .optional()
      .describe('A subject, or with a slash at the end all subjects that begin with it'),
    last_event_id: z.string().max(40).optional(),
    backlog: z.coerce
      .number()
      .int()
      .min(0)
      .max(500)
      .default(500)
      .describe('Without Last-Event-ID: among how many of the newest events the stream begins'),
    follow: z.enum(['true', 'false']).default('true').describe('false: end after the events that exist'),
  }),
  reply: FeedEvent,
  stream: true,
  fails: ['FORBIDDEN', 'STREAM_LIMIT_REACHED', 'NOT_ACCEPTABLE'],
})
