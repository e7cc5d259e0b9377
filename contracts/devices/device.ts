import { z } from 'zod'
import { DateTime, requestBody, SchemaVersion, Serial, text, Uuid } from '../base/fields.ts'
import { route } from '../base/route.ts'
import { Snapshot } from './snapshot.ts'

export { Serial }

export const DeviceState = z.enum([
  'device',
  'offline',
  'unauthorized',
  'connecting',
  'authorizing',
  'recovery',
  'sideload',
  'bootloader',
  'unknown',
  'unresponsive',
  'gone',
])

export const DeviceLease = z
  .object({
    lease_id: Uuid,
    serial: Serial,
    owner_user_id: z.string(),
    purpose: z.string().max(240).optional(),
    created_at: DateTime,
    expires_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'DeviceLease' })
export type DeviceLease = z.infer<typeof DeviceLease>

/** The facts last read from a device. Unknown facts are absent. */
export const DeviceFacts = z.object({
  model: z.string().optional(),
  manufacturer: z.string().optional(),
  sdk: z.int().optional(),
  android_version: z.string().optional(),
  width: z.int().optional(),
  height: z.int().optional(),
  density_dpi: z.int().optional(),
  rotation: z.int().min(0).max(3).optional(),
  battery_level: z.number().optional(),
  charging: z.boolean().optional(),
  awake: z.boolean().optional(),
  locked: z.boolean().optional(),
  foreground_package: z.string().optional(),
  foreground_activity: z.string().optional(),
  locale: z.string().optional(),
  helpers: z.string().optional().describe('The version of the helpers that the device was prepared with'),
})
export type DeviceFacts = z.infer<typeof DeviceFacts>

export const Device = z
  .object({
    serial: Serial,
    state: DeviceState,
    simulated: z.boolean(),
    label: z.string().max(120).optional(),
    facts: DeviceFacts,
    lease: DeviceLease.optional(),
    queue_depth: z.int().min(0),
    first_seen_at: DateTime,
    last_seen_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'Device' })
export type Device = z.infer<typeof Device>

const TAG = 'devices'
const params = z.object({ serial: Serial })
/** Failures of any request that uses a device. */
export const DEVICE_FAILURES = [
  'DEVICE_NOT_FOUND',
  'DEVICE_OFFLINE',
  'DEVICE_LOST',
  'DEVICE_UNAUTHORIZED',
  'DEVICE_LEASED',
  'DEVICE_TIMEOUT',
  'ADB_SERVER_FAILED',
] as const

export const listDevices = route({
  method: 'GET',
  url: '/api/devices',
  tag: TAG,
  summary: 'List known devices, connected ones first',
  privilege: 'read',
  reply: z.object({ devices: z.array(Device), schema_version: SchemaVersion }),
})

export const getDevice = route({
  method: 'GET',
  url: '/api/devices/:serial',
  tag: TAG,
  summary: 'Get one device, with current facts if it responds',
  privilege: 'read',
  params,
  reply: Device,
  fails: ['DEVICE_NOT_FOUND'],
})

export const labelDevice = route({
  method: 'PUT',
  url: '/api/devices/:serial/label',
  tag: TAG,
  summary: 'Set the label of a device',
  privilege: 'write',
  params,
  body: requestBody({ label: text(120) }),
  reply: Device,
  fails: ['DEVICE_NOT_FOUND'],
})

export const leaseDevice = route({
  method: 'POST',
  url: '/api/devices/:serial/lease',
  tag: TAG,
  summary: 'Lease a device for exclusive use, or renew the lease',
  privilege: 'write',
  params,
  body: requestBody({
    purpose: text(240).optional(),
    duration_ms: z.int().min(1000).max(3_600_000).default(300_000),
  }),
  reply: DeviceLease,
  status: 201,
  fails: ['DEVICE_NOT_FOUND', 'DEVICE_LEASED'],
})

export const releaseDevice = route({
  method: 'POST',
  url: '/api/devices/:serial/lease/release',
  tag: TAG,
  summary: 'Release the lease of a device',
  privilege: 'write',
  params,
  body: requestBody({ lease_id: Uuid.optional() }),
  reply: z.object({ released: z.literal(true) }),
  fails: ['DEVICE_NOT_FOUND', 'LEASE_NOT_FOUND'],
})

export const snapshotDevice = route({
  method: 'POST',
  url: '/api/devices/:serial/snapshot',
  tag: TAG,
  summary: 'Read the elements of the current screen',
  privilege: 'write',
  params,
  body: requestBody({
    timeout_ms: z.int().min(1000).max(120_000).default(30_000),
    include_xml: z.boolean().default(false),
  }),
  reply: z.object({
    snapshot: Snapshot,
    xml: z.string().optional(),
    schema_version: SchemaVersion,
  }),
  fails: [...DEVICE_FAILURES, 'SNAPSHOT_EXTRACTION_FAILED'],
})

export const EvidenceRef = z
  .object({
    evidence_id: Uuid,
    media_type: z.string(),
    bytes: z.int().min(1),
    url: z.string(),
    created_at: DateTime,
  })
  .meta({ id: 'EvidenceRef' })
export type EvidenceRef = z.infer<typeof EvidenceRef>

export const screenshotDevice = route({
  method: 'POST',
  url: '/api/devices/:serial/screenshot',
  tag: TAG,
  summary: 'Take a screenshot; the daemon stores and serves it',
  privilege: 'write',
  params,
  body: requestBody({ timeout_ms: z.int().min(1000).max(120_000).default(30_000) }),
  reply: z.object({
    screenshot: EvidenceRef,
    width: z.int(),
    height: z.int(),
    schema_version: SchemaVersion,
  }),
  status: 201,
  fails: [...DEVICE_FAILURES, 'SNAPSHOT_EXTRACTION_FAILED'],
})

export const getEvidence = route({
  method: 'GET',
  url: '/api/evidence/:evidenceId',
  tag: TAG,
  summary: 'Get the content of stored evidence: a screenshot or a UI tree',
  privilege: 'read',
  params: z.object({ evidenceId: Uuid }),
  reply: z.unknown(),
  media: 'application/octet-stream',
  fails: ['NOT_FOUND'],
})
