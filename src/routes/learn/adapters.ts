import type { FastifyInstance } from 'fastify'
import * as contracts from '@apprentice/contracts/learn/observation.ts'
import { sweepLostAdapters } from '../../domain/capture/adapter-loss.ts'
import { listAdapters, recordHeartbeat, reportedAdapter } from '../../domain/capture/adapters.ts'
import { mounting } from '../../http/mount.ts'
import type { System } from '../../daemon/system.ts'

export function learnAdapterRoutes(app: FastifyInstance, { commands, config }: System): void {
  const on = mounting(app)
  const rules = { max_phase: config.settings.learn.adapters_max_phase }

  on(contracts.listAdapters)(() => ({
    adapters: commands.read((reader) => listAdapters(reader, commands.now(), rules)),
    schema_version: 1,
  }))

  on(contracts.heartbeatAdapter)((request) =>
    commands.command(request, (ctx) => {
      const row = recordHeartbeat(ctx, request.params.adapterId, request.body)
      sweepLostAdapters(ctx)
      return { adapter: reportedAdapter(row, ctx.now, rules), schema_version: 1 }
    }),
  )
}
