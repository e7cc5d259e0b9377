import type { FastifyInstance } from 'fastify'
import { listApps } from '@apprentice/contracts/devices/apps.ts'
import { captureDebugSnapshot, findElement } from '@apprentice/contracts/devices/find-element.ts'
import type { System } from '../../daemon/system.ts'
import { deviceNotFound } from '../../domain/devices/device-record.ts'
import { mountContract } from '../../http/contract-routes.ts'
import { createContextFactory } from './check-contexts.ts'
import { findDevice } from '../../store/devices/devices.ts'

const TIMEOUT_MS = 60_000

/** Looks at a phone beyond a plain snapshot. */
export function deviceLookRoutes(app: FastifyInstance, system: System): void {
  const on = mountContract(app)
  const toCheckContext = createContextFactory(app, system)
  const { commands, deviceChecks, deviceReader } = system

  on(listApps)(async (request, reply) => {
    const { serial, principal, signal } = toCheckContext(request, reply)
    return {
      apps: await deviceReader.listApps(serial, { principal, signal, timeoutMs: TIMEOUT_MS }),
      schema_version: 1,
    }
  })

  on(findElement)(async (request, reply) => {
    const found = await deviceChecks.searchElement(toCheckContext(request, reply), request.body)
    return { ...found, schema_version: 1 }
  })

  on(captureDebugSnapshot)((request, reply) => {
    const { serial } = request.params
    if (commands.read((reader) => findDevice(reader, serial)) === undefined) throw deviceNotFound(serial)
    const context = toCheckContext(request, reply)
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(TIMEOUT_MS)])
    return deviceChecks.debugSnapshot({ ...context, signal }, request.body)
  })
}
