import type { FastifyInstance } from 'fastify'
import type { z } from 'zod'
import { streamEvents } from '@apprentice/contracts/admin/events.ts'
import { Failure } from '../failure/failure.ts'
import { mountStream } from '../http/event-stream-routes.ts'
import { createFeedSource } from '../live/source.ts'
import type { System } from '../daemon/system.ts'

/** The stream over everything that the caller may see. */
export function eventRoutes(app: FastifyInstance, { commands, hub, liveScreens, config }: System): void {
  mountStream(app, streamEvents, {
    hub,
    liveScreens,
    config,
    find: async ({ caller, query }, read) => {
      // The contract has validated the query.
      const { scope, kind, subject, follow } = query as z.output<typeof streamEvents.query>
      if (scope === 'all' && caller.privilege !== 'admin') {
        throw new Failure('FORBIDDEN', 'scope=all requires admin privilege.')
      }
      const source = createFeedSource({
        user_id: scope === 'all' ? undefined : caller.user_id,
        kinds: kind?.split(',') ?? [],
        subject,
        follow: follow === 'true',
      })
      return commands.read((reader) => read(reader, source))
    },
  })
}
