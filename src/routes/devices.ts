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
import * as leases from '../domain/devices/leases.ts'
import * as sightings from '../domain/devices/sightings.ts'
import { Failure } from '../failure/failure.ts'
import { mounting } from '../http/mount.ts'
import {
  type DeviceRow,
  findDevice,
  findLease,
  listDevices as listRows,
} from '../store/devices/devices.ts'
import type { Reader } from '../store/db/db.ts'
import { findEvidence } from '../store/capture/evidence.ts'
import { countOpenExecutions } from '../store/devices/executions.ts'
import type { System } from '../daemon/system.ts'

export function deviceRoutes(app: FastifyInstance, { commands, floor, eyes }: System): void {
  const on = mounting(app)
  const view = (reader: Reader, device: DeviceRow): Device => ({
    ...device,
    // The table's check is the adb server's vocabulary, which the contract lists.
    state: device.state as Device['state'],
    lease: findLease(reader, device.serial, commands.now()),
    queue_depth: countOpenExecutions(reader, device.serial),
    schema_version: 1,
  })
  const show = (serial: string): Device =>
    commands.read((reader) => {
      const device = findDevice(reader, serial)
      if (device === undefined) throw sightings.deviceNotFound(serial)
      return view(reader, device)
    })

  on(listDevices)(() => ({
    devices: commands.read((reader) => listRows(reader).map((device) => view(reader, device))),
    schema_version: 1,
  }))

  on(getDevice)(async ({ params }) => {
    const known = show(params.serial)
    const facts = known.state === 'device' ? await floor.refreshFacts(params.serial) : undefined
    return facts === undefined ? known : { ...known, facts }
  })

  on(labelDevice)(async (request) => {
    const { serial } = request.params
    await commands.command(request, (ctx) => sightings.labelDevice(ctx, serial, request.body.label))
    return show(serial)
  })

  on(leaseDevice)((request) =>
    commands.command(request, (ctx) =>
      leases.leaseDevice(ctx, request.params.serial, request.body),
    ),
  )

  on(releaseDevice)((request) =>
    commands.command(request, (ctx) => {
      leases.releaseDevice(ctx, request.params.serial, request.body.lease_id)
      return { released: true }
    }),
  )

  on(snapshotDevice)(async ({ params, body, caller }) => {
    const { snapshot, xml } = await eyes.snapshot(params.serial, {
      principal: caller.user_id,
      timeoutMs: body.timeout_ms,
    })
    return { snapshot, ...(body.include_xml ? { xml } : {}), schema_version: 1 }
  })

  on(screenshotDevice)(async (request) => {
    const { serial } = request.params
    const { user_id } = request.caller
    const taken = await eyes.screenshot(serial, {
      principal: user_id,
      timeoutMs: request.body.timeout_ms,
    })
    const screenshot = await eyes.keepPicture(taken.png, { serial, owner_user_id: user_id })
    return { screenshot, width: taken.width, height: taken.height, schema_version: 1 }
  })

  on(getEvidence)(async ({ params, caller }, reply) => {
    const found = commands.read((reader) => findEvidence(reader, params.evidenceId))
    const bytes =
      found?.owner_user_id === caller.user_id ? await floor.evidence.read(found.sha256) : undefined
    if (found === undefined || bytes === undefined) {
      throw new Failure('NOT_FOUND', 'No such evidence.')
    }
    void reply.type(found.media_type)
    return bytes
  })
}
