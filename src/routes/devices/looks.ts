import type { FastifyInstance } from 'fastify'
import { listApps } from '@apprentice/contracts/devices/apps.ts'
import { captureDebugSnapshot, findElement } from '@apprentice/contracts/devices/find-element.ts'
import type { System } from '../../daemon/system.ts'
import { deviceNotFound } from '../../domain/devices/device-record.ts'
import { mountContract } from '../../http/contract-routes.ts'
import { findDevice } from '../../store/devices/devices.ts'

const TIMEOUT_MS = 60_000

/** Looks at a phone beyond a plain snapshot. */
export function deviceLookRoutes(app: FastifyInstance, system: System): void {
  const on = mountContract(app)
  const { commands, deviceChecks, deviceReader } = system

  on(listApps)(async ({ params, caller }) => ({
    apps: await deviceReader.listApps(params.serial, { principal: caller.user_id, timeoutMs: TIMEOUT_MS }),
    schema_version: 1,
  }))

  on(findElement)(async ({ params, body, caller }) => {
    const viewer = { serial: params.serial, principal: caller.user_id }
    const found = await deviceChecks.searchElement(viewer, { ...body, isStopping: () => system.stopping })
    return { ...found, schema_version: 1 }
  })

  on(captureDebugSnapshot)(({ params, body, caller }) => {
    const { serial } = params
    if (commands.read((reader) => findDevice(reader, serial)) === undefined) throw deviceNotFound(serial)
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const viewer = { serial, principal: caller.user_id, now: commands.now(), signal, isActionSettled: () => true }
    return deviceChecks.debugSnapshot({ ...viewer, action: undefined }, body)
  })
}
