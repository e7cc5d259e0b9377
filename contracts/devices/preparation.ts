import { z } from 'zod'
import { requestBody, SchemaVersion } from '../base/fields.ts'
import { route } from '../base/route.ts'
import { DEVICE_FAILURES, DeviceFacts, Serial } from './device.ts'

const ReadingTimes = z.object({
  readings: z.int().min(0),
  median_ms: z.int().min(0),
  slowest_ms: z.int().min(0),
})

/** How the screens of a device were read since the daemon started. */
const ScreenSource = z.object({
  source: z.enum(['helper', 'dump']).optional().describe('Of the last reading'),
  helper: ReadingTimes.optional(),
  dump: ReadingTimes.optional(),
  failures: z.record(z.string(), z.int()).describe('How often the helper could not be used, by reason'),
  last_failure: z.object({ kind: z.string(), message: z.string() }).optional(),
})

const InstalledVersions = z.object({ snapshot: z.int().optional(), keyboard: z.int().optional() })

export const DevicePreparation = z
  .object({
    serial: Serial,
    version: z.string().describe('The version of the helpers that the daemon knows'),
    prepared_version: z.string().optional().describe('The version that the device was prepared with'),
    installed: InstalledVersions.describe('The version codes of the installed helpers'),
    screens: ScreenSource,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'DevicePreparation' })
export type DevicePreparation = z.infer<typeof DevicePreparation>

/** What a person can send to us about a device. It has no serial, and no texts of apps. */
export const DeviceReport = z
  .object({
    facts: DeviceFacts.pick({
      model: true,
      manufacturer: true,
      sdk: true,
      android_version: true,
      width: true,
      height: true,
      density_dpi: true,
      locale: true,
    }),
    simulated: z.boolean(),
    version: z.string(),
    prepared_version: z.string().optional(),
    installed: InstalledVersions,
    screens: ScreenSource,
    dump_ms: z.array(z.int()).describe('Readings of the same screen by `uiautomator dump`'),
    helper_start_ms: z.int().optional(),
    helper_ms: z.array(z.int()).describe('Readings of the same screen by the helper'),
    failures: z.array(z.string()).describe('Why one of them gave nothing'),
    tree: z.string().describe('One tree of the helper, else of a dump: words are replaced by letters x'),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'DeviceReport' })
export type DeviceReport = z.infer<typeof DeviceReport>

const TAG = 'devices'
const params = z.object({ serial: Serial })
const waits = { for: 'the device', at_most_ms: 120_000 }
/** The helpers have 29 and 13 KB. */
const MAX_APK_CHARACTERS = 256 * 1024
const FAILURES = [...DEVICE_FAILURES, 'DEVICE_PREPARATION_FAILED'] as const

export const getPreparation = route({
  method: 'GET',
  url: '/api/devices/:serial/preparation',
  tag: TAG,
  summary: 'Get which helpers are installed on a device and how its screens are read',
  waits,
  privilege: 'write',
  params,
  reply: DevicePreparation,
  fails: FAILURES,
})

export const prepareDevice = route({
  method: 'PUT',
  url: '/api/devices/:serial/preparation',
  tag: TAG,
  summary: 'Install the helpers that read screens faster and type any text',
  waits,
  privilege: 'admin',
  params,
  body: requestBody({
    apks: z.array(z.base64().max(MAX_APK_CHARACTERS)).min(1).max(2).describe('APKs with the pinned SHA-256, in base64'),
  }),
  body_limit: 3 * MAX_APK_CHARACTERS,
  reply: DevicePreparation,
  fails: FAILURES,
})

export const unprepareDevice = route({
  method: 'DELETE',
  url: '/api/devices/:serial/preparation',
  tag: TAG,
  summary: 'Remove the helpers and restore the keyboard',
  waits,
  privilege: 'admin',
  params,
  reply: DevicePreparation,
  fails: FAILURES,
})

export const reportDevice = route({
  method: 'GET',
  url: '/api/devices/:serial/report',
  tag: TAG,
  summary: 'Collect versions, times and one anonymised tree of a device',
  waits,
  privilege: 'write',
  params,
  reply: DeviceReport,
  fails: FAILURES,
})
