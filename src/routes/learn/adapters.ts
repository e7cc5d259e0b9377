import type { FastifyInstance } from 'fastify'
import * as contracts from '@apprentice/contracts/learn/observation.ts'
import { sweepLostAdapters } from '../../domain/capture/adapter-loss.ts'
import { listAdapters, recordHeartbeat, reportedAdapter } from '../../domain/capture/adapters.ts'
import { mounting } from '../../http/mount.ts'
import type { System } from '../../daemon/system.ts'

export function learnAdapterRoutes(app: FastifyInstance, { desk, config }: System): void {
  const on = mounting(app)
  const rules = { max_phase: config.settings.learn.adapters_max_phase }

  on(contracts.listAdapters)(() => ({
    adapters: desk.read((reader) => listAdapters(reader, desk.now(), rules)),
    schema_version: 1,
  }))

  on(contracts.heartbeatAdapter)((asked) =>
    desk.command(asked, (act) => {
      const row = recordHeartbeat(act, asked.params.adapterId, asked.body)
      sweepLostAdapters(act)
      return { adapter: reportedAdapter(row, act.now, rules), schema_version: 1 }
    }),
  )
}
