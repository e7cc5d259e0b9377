import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import {
  connectHost,
  createHost,
  type DeviceHost,
  listHosts,
  putHostContent,
  revokeHost,
} from '@apprentice/contracts/devices/hosts.ts'
import type { System } from '../../daemon/system.ts'
import { Failure } from '../../failure/failure.ts'
import { type Caller, hashSecret } from '../../http/access.ts'
import { mountContract } from '../../http/contract-routes.ts'
import * as rows from '../../store/devices/device-hosts.ts'

export function hostRoutes(app: FastifyInstance, { commands, access, devices, clock }: System): void {
  const on = mountContract(app)
  const toHost = ({ token_sha256: _, ...row }: rows.DeviceHostRow): DeviceHost => {
    const connection = devices.hosts?.connections.find(({ host }) => host.host_id === row.host_id)
    const seen = connection && {
      version: connection.host.version,
      last_heard_at: new Date(clock().getTime() - connection.silentMs).toISOString(),
    }
    const serials = connection?.devices.map(({ serial }) => connection.toFullSerial(serial)) ?? []
    return { ...row, connected: connection !== undefined, serials, ...seen, schema_version: 1 }
  }

  on(listHosts)(() => ({
    enabled: devices.hosts !== undefined,
    hosts: commands.read((reader) => rows.listDeviceHosts(reader).map(toHost)),
    schema_version: 1,
  }))

  on(createHost)(async (request) => {
    const secret = `aph_${randomBytes(32).toString('base64url')}`
    const row = await commands.command(request, (ctx) => {
      const { name } = request.body
      if (rows.findActiveHostByName(ctx.tx, name) !== undefined) {
        throw new Failure('HOST_NAME_IN_USE', `A device host ${name} exists. Revoke it first.`)
      }
      const created = { host_id: ctx.newId(), name, token_sha256: hashSecret(secret), created_at: ctx.now }
      rows.insertDeviceHost(ctx.tx, created)
      return created
    })
    access.reload()
    return { host: toHost(row), secret, schema_version: 1 }
  })

  on(revokeHost)(async (request) => {
    const { hostId } = request.params
    await commands.command(request, (ctx) => {
      if (!rows.revokeDeviceHost(ctx.tx, hostId, ctx.now)) {
        throw new Failure('HOST_NOT_FOUND', 'No active device host has this id.')
      }
      return {}
    })
    access.reload()
    devices.hosts?.disconnect(hostId, 'The token of the device host was revoked.')
    return { revoked: true }
  })

  on(connectHost)(async ({ caller, body }) => {
    const hosts = requireHosts()
    const row = findCallingHost(caller)
    const connection = await hosts.connect({ ...row, version: body.version })
    return {
      host_id: row.host_id,
      name: row.name,
      connection_id: connection.connection_id,
      epoch: hosts.epoch,
      heartbeat_ms: hosts.heartbeatMs,
      lost_after_ms: hosts.lostAfterMs,
      schema_version: 1,
    }
  })

  on(putHostContent)(({ caller, body }) => {
    const { host_id } = findCallingHost(caller)
    const connection = requireHosts().connections.find(
      (one) => one.host.host_id === host_id && one.connection_id === body.connection_id,
    )
    if (connection === undefined) throw new Failure('HOST_NOT_FOUND', 'This connection of the host has ended.')
    const received = connection.contents.putPart(body, Buffer.from(body.content, 'base64'))
    if (received === undefined) {
      throw new Failure('INVALID_REQUEST', 'The content does not have the hash.', { details: { field: 'sha256' } })
    }
    return { received }
  })

  function requireHosts() {
    if (devices.hosts !== undefined) return devices.hosts
    throw new Failure('HOSTS_DISABLED', 'Set APPRENTICE_REDIS and restart the daemon to serve device hosts.')
  }

  function findCallingHost({ host_id }: Caller): rows.DeviceHostRow {
    const found = commands.read((reader) => rows.listDeviceHosts(reader).find((row) => row.host_id === host_id))
    if (found !== undefined) return found
    throw new Failure('FORBIDDEN', 'This route needs the token of a device host.')
  }
}
