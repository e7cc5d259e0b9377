import { z } from 'zod'
import { AbilityId, SchemaVersion } from '../base/fields.ts'
import { PageQuery, pageFields } from '../base/page.ts'
import { route } from '../base/route.ts'
import { AbilityRun, AbilityRunState } from './runs.ts'

const TAG = 'ability runs'
const count = z.int().min(0)

export const listOwnRuns = route({
  method: 'GET',
  url: '/api/ability-runs',
  tag: TAG,
  summary: "List the user's runs of all abilities, newest first",
  privilege: 'read',
  query: PageQuery.extend({ state: AbilityRunState.optional(), ability_id: AbilityId.optional() }),
  reply: z.object({ runs: z.array(AbilityRun), ...pageFields, schema_version: SchemaVersion }),
})

/** The settled runs that were started on one day. */
export const RunDay = z
  .object({ date: z.iso.date(), success: count, failed: count, indeterminate: count, cancelled: count })
  .meta({ id: 'RunDay' })
export type RunDay = z.infer<typeof RunDay>

export const RunFigures = z
  .object({
    days: z.array(RunDay).describe('All days in order, also those without a run'),
    median_success_ms: count.optional().describe('Of successful runs that acted; absent without one'),
    saved_ms: count.describe(
      'How much longer the demonstrations took than successful runs that acted; each item of a list counts',
    ),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'RunFigures' })
export type RunFigures = z.infer<typeof RunFigures>

export const getRunFigures = route({
  method: 'GET',
  url: '/api/ability-run-figures',
  tag: TAG,
  summary: "Count the user's settled runs per day by outcome, with the time they took and saved",
  privilege: 'read',
  query: z.object({
    days: z.coerce.number().int().min(1).max(90).default(14).describe('How many days, today included'),
    utc_offset_minutes: z.coerce
      .number()
      .int()
      .min(-840)
      .max(840)
      .default(0)
      .describe('When a day begins: the local time minus UTC'),
  }),
  reply: RunFigures,
})
