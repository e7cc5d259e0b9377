import type { DeviceFacts, DeviceLease } from '@apprentice/contracts/devices/device.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { bindable, present, type Row } from '../db/row.ts'

export interface DeviceRow {
  readonly serial: string
  readonly state: string
  readonly simulated: boolean
  readonly label?: string | undefined
  readonly facts: DeviceFacts
  readonly first_seen_at: string
  readonly last_seen_at: string
}

export function findDevice(reader: Reader, serial: string): DeviceRow | undefined {
  const row = sql(reader, 'SELECT * FROM devices WHERE serial = ?').get(serial)
  return row === undefined ? undefined : toDevice(row)
}

/** Usable ones first, then those seen last. */
export function listDevices(reader: Reader): DeviceRow[] {
  return sql(reader, `SELECT * FROM devices ORDER BY state <> 'device', last_seen_at DESC, serial`)
    .all()
    .map(toDevice)
}

export function upsertDevice(tx: Tx, device: DeviceRow): void {
  sql(
    tx,
    `INSERT INTO devices (serial, state, simulated, label, facts, first_seen_at, last_seen_at)
     VALUES (@serial, @state, @simulated, @label, @facts, @first_seen_at, @last_seen_at)
     ON CONFLICT (serial) DO UPDATE SET state = @state, simulated = @simulated, label = @label,
       facts = @facts, last_seen_at = @last_seen_at`,
  ).run(bindable({ label: undefined, ...device, facts: JSON.stringify(device.facts) }))
}

export function findLease(reader: Reader, serial: string, now: string): DeviceLease | undefined {
  const row = sql(reader, 'SELECT * FROM device_leases WHERE serial = ? AND expires_at > ?').get(
    serial,
    now,
  )
  return row === undefined
    ? undefined
    : ({ ...present(row as Row), schema_version: 1 } as unknown as DeviceLease)
}

export function upsertLease(tx: Tx, lease: DeviceLease): void {
  sql(
    tx,
    `INSERT OR REPLACE INTO device_leases (serial, lease_id, owner_user_id, purpose, created_at, expires_at)
     VALUES (@serial, @lease_id, @owner_user_id, @purpose, @created_at, @expires_at)`,
  ).run(bindable({ purpose: undefined, ...lease }))
}

export function deleteLease(tx: Tx, leaseId: string): void {
  sql(tx, 'DELETE FROM device_leases WHERE lease_id = ?').run(leaseId)
}

function toDevice(row: unknown): DeviceRow {
  const fields = present(row as Row)
  return {
    ...fields,
    simulated: fields['simulated'] === 1,
    facts: JSON.parse(String(fields['facts'])),
  } as unknown as DeviceRow
}
