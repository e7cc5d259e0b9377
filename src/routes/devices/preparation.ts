import type { FastifyInstance } from 'fastify'
import {
  getPreparation,
  prepareDevice,
  reportDevice,
  unprepareDevice,
} from '@apprentice/contracts/devices/preparation.ts'
import type { System } from '../../daemon/system.ts'
import { recordPreparation } from '../../domain/devices/device-record.ts'
import { mountContract } from '../../http/contract-routes.ts'

const TIMEOUT_MS = 120_000

/** Installs and removes the helpers of a phone, and reports on it. */
export function preparationRoutes(app: FastifyInstance, { commands, preparations }: System): void {
  const on = mountContract(app)
  const access = (principal: string) => ({ principal, timeoutMs: TIMEOUT_MS })

  on(getPreparation)(({ params, caller }) => preparations.read(params.serial, access(caller.user_id)))

  on(reportDevice)(({ params, caller }) => preparations.report(params.serial, access(caller.user_id)))

  on(prepareDevice)(async (request) => {
    const { params, body, caller } = request
    const apks = body.apks.map((apk) => Buffer.from(apk, 'base64'))
    const prepared = await preparations.prepare(params.serial, access(caller.user_id), apks)
    return commands.command(request, (ctx) => {
      recordPreparation(ctx, params.serial, prepared.prepared_version)
      return prepared
    })
  })

  on(unprepareDevice)(async (request) => {
    const { params, caller } = request
    const left = await preparations.unprepare(params.serial, access(caller.user_id))
    return commands.command(request, (ctx) => {
      recordPreparation(ctx, params.serial, left.prepared_version)
      return left
    })
  })
}
