import { columns, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable, type RowOf } from '../db/table.ts'

/** Registered device hosts. The hash of the token is stored, not the token. */
export const deviceHosts = defineTable(
  'device_hosts',
  {
    ...columns(text(), 'host_id', 'name', 'token_sha256'),
    created_at: text(),
    revoked_at: text().optional(),
  },
  { key: ['host_id'] },
)

export type DeviceHostRow = RowOf<typeof deviceHosts>

export function listDeviceHosts(reader: Reader): DeviceHostRow[] {
  return sql(reader, 'SELECT * FROM device_hosts ORDER BY created_at, host_id').all().map(deviceHosts.decode)
}

/** The host with this name whose token is not revoked. */
export function findActiveHostByName(reader: Reader, name: string): DeviceHostRow | undefined {
  return deviceHosts.decodeOptional(
    sql(reader, 'SELECT * FROM device_hosts WHERE name = ? AND revoked_at IS NULL').get(name),
  )
}

export function insertDeviceHost(tx: Tx, host: DeviceHostRow): void {
  deviceHosts.insert(tx, host)
}

/** Returns false if there is no such host, or it is revoked already. */
export function revokeDeviceHost(tx: Tx, hostId: string, now: string): boolean {
  return (
    sql(tx, 'UPDATE device_hosts SET revoked_at = ? WHERE host_id = ? AND revoked_at IS NULL').run(now, hostId)
      .changes === 1
  )
}
