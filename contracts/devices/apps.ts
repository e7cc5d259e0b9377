import { z } from 'zod'
import { SchemaVersion } from '../base/fields.ts'
import { route } from '../base/route.ts'
import { DEVICE_FAILURES, Serial } from './device.ts'

export const InstalledApp = z
  .object({
    application_id: z.string().max(255),
    label: z.string().max(160).describe('The name of the app, else a word of its id'),
  })
  .meta({ id: 'InstalledApp' })
export type InstalledApp = z.infer<typeof InstalledApp>

export const listApps = route({
  method: 'GET',
  url: '/api/devices/:serial/apps',
  tag: 'devices',
  summary: 'List the apps of a device that a person can start, by name',
  waits: { for: 'the device', at_most_ms: 60_000 },
  privilege: 'write',
  params: z.object({ serial: Serial }),
  reply: z.object({ apps: z.array(InstalledApp), schema_version: SchemaVersion }),
  fails: DEVICE_FAILURES,
})
