import type { FastifyInstance } from 'fastify'
import { getHealth, getMetrics, getReadiness } from '@apprentice/contracts/admin/health.ts'
import { mounting } from '../http/mount.ts'
import type { Reader } from '../store/db/db.ts'
import type { System } from '../daemon/system.ts'
import { version } from '../config/version.ts'

export function healthRoutes(app: FastifyInstance, system: System): void {
  const on = mounting(app)

  on(getHealth)(() => ({ status: 'ok', version }))

  on(getReadiness)(() => {
    const parts = {
      store: storePart(system),
      projections: projectionsPart(system),
      phone: phonePart(system),
    }
    const well = Object.values(parts).every(({ status }) => status === 'ok')
    return { status: well ? 'ok' : 'degraded', ...parts }
  })

  on(getMetrics)(() => system.metrics.registry.metrics())
}

function storePart({ store }: System) {
  try {
    store.read(({ db }: Reader) => db.prepare('SELECT 1').get())
    return { status: 'ok' as const }
  } catch {
    return { status: 'degraded' as const, detail: 'the database does not answer' }
  }
}

function projectionsPart({ projector }: System) {
  const { status, detail } = projector.status()
  return { status, ...(detail === undefined ? {} : { detail }) }
}

function phonePart({ floor }: System) {
  const detail = floor.phone.words
  return { status: floor.serverUp ? ('ok' as const) : ('degraded' as const), detail }
}
