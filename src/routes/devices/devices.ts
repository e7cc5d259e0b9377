import type { FastifyInstance } from 'fastify'
import {
  type Device,
  getDevice,
  getEvidence,
  labelDevice,
  leaseDevice,
  listDevices,
  releaseDevice,
  screenshotDevice,
  snapshotDevice,
} from '@apprentice/contracts/devices/device.ts'
import * as leases from '../../domain/devices/leases.ts'
import * as deviceRecord from '../../domain/devices/device-record.ts'
import { Failure } from '../../failure/failure.ts'
import { mountContract } from '../../http/contract-routes.ts'
import { type DeviceRow, findDevice, findLease, listDevices as listRows } from '../../store/devices/devices.ts'
import type { Reader } from '../../store/db/db.ts'
import { findEvidence } from '../../store/capture/evidence.ts'
import { countOpenExecutions } from '../../store/devices/executions.ts'
import type { System } from '../../daemon/system.ts'

export function deviceRoutes(app: FastifyInstance, { commands, devices, deviceReader, evidenceFiles }: System): void {
  const on = mountContract(app)
  const toDevice = (reader: Reader, device: DeviceRow): Device => ({
    ...device,
    // A CHECK of the table limits the column to the states that the contract lists.
    state: device.state as Device['state'],
    lease: findLease(reader, device.serial, commands.now()),
    queue_depth: countOpenExecutions(reader, device.serial),
    schema_version: 1,
  })
  const readDevice = (serial: string): Device =>
    commands.read((reader) => {
      const device = findDevice(reader, serial)
      if (device === undefined) throw deviceRecord.deviceNotFound(serial)
      return toDevice(reader, device)
    })

  on(listDevices)(() => ({
    devices: commands.read((reader) => listRows(reader).map((device) => toDevice(reader, device))),
    schema_version: 1,
  }))

  on(getDevice)(async ({ params }) => {
    const known = readDevice(params.serial)
    const facts = known.state === 'device' ? await devices.refreshFacts(params.serial) : undefined
    return facts === undefined ? known : { ...known, facts }
  })

  on(labelDevice)(async (request) => {
    const { serial } = request.params
    await commands.command(request, (ctx) => deviceRecord.labelDevice(ctx, serial, request.body.label))
    return readDevice(serial)
  })

  on(leaseDevice)((request) =>
    commands.command(request, (ctx) => leases.leaseDevice(ctx, request.params.serial, request.body)),
  )

  on(releaseDevice)((request) =>
    commands.command(request, (ctx) => {
      leases.releaseDevice(ctx, request.params.serial, request.body.lease_id)
      return { released: true }
    }),
  )

  on(snapshotDevice)(async ({ params, body, caller }, reply) => {
    const { snapshot, xml } = await deviceReader.snapshot(params.serial, {
      principal: caller.user_id,
      timeoutMs: body.timeout_ms,
    })
    const found = { snapshot, ...(body.include_xml ? { xml } : {}), schema_version: 1 as const }
    const printed = await deviceReader.printSnapshot(found)
    void reply.type('application/json; charset=utf-8').serializer(() => printed)
    return found
  })

  on(screenshotDevice)(async (request) => {
    const { serial } = request.params
    const { user_id } = request.caller
    const taken = await deviceReader.screenshot(serial, {
      principal: user_id,
      timeoutMs: request.body.timeout_ms,
    })
    const screenshot = await deviceReader.savePicture(taken.png, { serial, owner_user_id: user_id })
    return { screenshot, width: taken.width, height: taken.height, schema_version: 1 }
  })

  on(getEvidence)(async ({ params, caller }, reply) => {
    const found = commands.read((reader) => findEvidence(reader, params.evidenceId))
    const bytes = found?.owner_user_id === caller.user_id ? await evidenceFiles.read(found.sha256) : undefined
    if (found === undefined || bytes === undefined) {
      throw new Failure('NOT_FOUND', 'No evidence has this id.')
    }
    void reply.type(found.media_type)
    return bytes
  })
}
