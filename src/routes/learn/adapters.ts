import type { FastifyInstance } from 'fastify'
import * as contracts from '@apprentice/contracts/learn/observation.ts'
import { handleLostAdapters } from '../../domain/capture/adapter-loss.ts'
import { listAdapters, recordHeartbeat, toAdapterStatus } from '../../domain/capture/adapters.ts'
import { mountContract } from '../../http/contract-routes.ts'
import type { System } from '../../daemon/system.ts'

export function learnAdapterRoutes(app: FastifyInstance, { commands, config }: System): void {
  const on = mountContract(app)
  const rules = { max_phase: config.settings.learn.adapters_max_phase }

  on(contracts.listAdapters)(() => ({
    adapters: commands.read((reader) => listAdapters(reader, commands.now(), rules)),
    schema_version: 1,
  }))

  on(contracts.heartbeatAdapter)((request) =>
    commands.command(request, (ctx) => {
      const row = recordHeartbeat(ctx, request.params.adapterId, request.body)
      handleLostAdapters(ctx)
      return { adapter: toAdapterStatus(row, ctx.now, rules), schema_version: 1 }
    }),
  )
}
