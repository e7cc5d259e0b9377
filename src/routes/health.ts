import type { FastifyInstance } from 'fastify'
import { getHealth, getMetrics, getReadiness } from '@apprentice/contracts/admin/health.ts'
import { mountContract } from '../http/contract-routes.ts'
import type { Reader } from '../store/db/db.ts'
import type { System } from '../daemon/system.ts'
import { version } from '../config/version.ts'

export function healthRoutes(app: FastifyInstance, system: System): void {
  const on = mountContract(app)

  on(getHealth)(() => ({ status: 'ok', version }))

  on(getReadiness)(() => {
    const parts = {
      store: checkStore(system),
      projections: checkProjections(system),
      phone: checkPhone(system),
      event_loop: checkEventLoop(system),
    }
    const healthy = Object.values(parts).every(({ status }) => status === 'ok')
    return { status: healthy ? 'ok' : 'degraded', ...parts }
  })

  on(getMetrics)(() => system.metrics.registry.metrics())
}

function checkStore({ store }: System) {
  try {
    store.read(({ db }: Reader) => db.prepare('SELECT 1').get())
    const { trouble } = store
    if (trouble === undefined) return { status: 'ok' as const }
    const isFull = trouble.code === 'STORAGE_FULL'
    return { status: 'degraded' as const, detail: isFull ? 'the disk is full' : 'the database cannot be written' }
  } catch {
    return { status: 'degraded' as const, detail: 'the database cannot be read' }
  }
}

function checkProjections({ projector }: System) {
  const { status, detail } = projector.status()
  return { status, ...(detail === undefined ? {} : { detail }) }
}

/** A request should never wait this long for the event loop. */
const MAX_LOOP_DELAY_MS = 1000

function checkEventLoop({ loopDelay }: System) {
  const delay_ms = Math.round(loopDelay.recent())
  const status = delay_ms > MAX_LOOP_DELAY_MS ? ('degraded' as const) : ('ok' as const)
  return { status, delay_ms, ...(status === 'degraded' && { detail: 'the event loop was blocked' }) }
}

function checkPhone({ devices }: System) {
  const detail = devices.phone.description
  return { status: devices.serverUp ? ('ok' as const) : ('degraded' as const), detail }
}
