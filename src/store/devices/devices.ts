import type { DeviceFacts, DeviceLease } from '@apprentice/contracts/devices/device.ts'
import { columns, flag, json, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable, type RowOf } from '../db/table.ts'

/** Every device that was ever connected, and its facts as last read. */
export const devices = defineTable(
  'devices',
  {
    serial: text(),
    state: text(),
    simulated: flag(),
    label: text().optional(),
    facts: json<DeviceFacts>(),
    first_seen_at: text().immutable(),
    last_seen_at: text(),
  },
  { key: ['serial'] },
)

/** One lease per device. Other users are refused until it is released or expires. */
export const deviceLeases = defineTable(
  'device_leases',
  {
    ...columns(text(), 'serial', 'lease_id', 'owner_user_id'),
    purpose: text().optional(),
    created_at: text(),
    expires_at: text(),
  },
  { key: ['serial'], constants: { schema_version: 1 } },
)

export type DeviceRow = RowOf<typeof devices>

export function findDevice(reader: Reader, serial: string): DeviceRow | undefined {
  return devices.find(reader, serial)
}

/** Usable devices first, then the last seen. */
export function listDevices(reader: Reader): DeviceRow[] {
  return sql(reader, `SELECT * FROM devices ORDER BY state <> 'device', last_seen_at DESC, serial`)
    .all()
    .map(devices.decode)
}

export function upsertDevice(tx: Tx, device: DeviceRow): void {
  devices.upsert(tx, device)
}

export function findLease(reader: Reader, serial: string, now: string): DeviceLease | undefined {
  const row = sql(reader, 'SELECT * FROM device_leases WHERE serial = ? AND expires_at > ?').get(serial, now)
  return deviceLeases.decodeOptional(row)
}

export function upsertLease(tx: Tx, lease: DeviceLease): void {
  deviceLeases.upsert(tx, lease)
}

export function deleteLease(tx: Tx, leaseId: string): void {
  sql(tx, 'DELETE FROM device_leases WHERE lease_id = ?').run(leaseId)
}

/** The users whose work on the device is being captured: by a learn session that is bound to it, or by a recording. */
export function listCapturingUsers(reader: Reader, serial: string): string[] {
  const rows = sql(
    reader,
    `SELECT COALESCE(reviewer_user_id, owner_user_id) AS user_id FROM learn_sessions
       WHERE state = 'capturing' AND device_serial = ?
     UNION SELECT owner_user_id FROM recordings WHERE serial = ? AND state = 'recording'`,
  ).all(serial, serial) as { user_id: string }[]
  return rows.map(({ user_id }) => user_id)
}
