import { z } from 'zod'
import { DateTime, SchemaVersion, Uuid } from '../base/fields.ts'
import { route } from '../base/route.ts'
import { ElementBounds } from './elements.ts'

const TAG = 'learn sessions'
const BASE_URL = '/api/learn/sessions/:sessionId'
const params = z.object({ sessionId: Uuid })
const eventIds = z.array(z.string().max(160)).describe('The captured actions')

/** The screen before an action, for a picture of it. */
export const StepScreen = z
  .object({
    evidence_id: Uuid.describe('The tree of the screen, without passwords and without texts that must not be stored'),
    width: z.int().min(1),
    height: z.int().min(1),
    bounds: ElementBounds.optional().describe('The element that was used'),
  })
  .meta({ id: 'StepScreen' })
export type StepScreen = z.infer<typeof StepScreen>

/** One captured action for people. */
export const CapturedStepView = z
  .object({
    event_id: Uuid,
    words: z.string().max(240).describe('The name that the person gave it, else what was observed'),
    named: z.boolean().describe('The person gave it a name'),
    app: z.string().max(160).optional(),
    screen: StepScreen.optional().describe('Absent if no screen was stored'),
    created_at: DateTime,
  })
  .meta({ id: 'CapturedStepView' })
export type CapturedStepView = z.infer<typeof CapturedStepView>

export const listCapturedSteps = route({
  method: 'GET',
  url: `${BASE_URL}/steps`,
  tag: TAG,
  summary: 'List the captured actions with the screen before each and the element that was used',
  privilege: 'read',
  params,
  reply: z.object({ steps: z.array(CapturedStepView), schema_version: SchemaVersion }),
  fails: ['LEARN_SESSION_NOT_FOUND', 'SESSION_TIMEOUT'],
})

/** What a draft made now would contain. */
export const Understanding = z
  .object({
    title: z.string().max(160),
    steps: z.array(z.object({ description: z.string(), input: z.string().optional(), event_ids: eventIds })),
    inputs: z.array(
      z.object({
        name: z.string(),
        type: z.enum(['string', 'number', 'boolean']),
        example: z.string().optional().describe('Its value in the demonstration'),
      }),
    ),
    outputs: z.array(z.string()).describe('The names of the values that a run returns'),
    proofs: z.array(z.string()).describe('What shows that the workflow was done'),
    left_out: z.array(z.object({ summary: z.string(), reason: z.string(), event_ids: eventIds })),
    open_points: z.array(z.string()).describe('What will be asked'),
    repeatable: z.boolean().describe('A recipe can repeat it'),
  })
  .meta({ id: 'Understanding' })
export type Understanding = z.infer<typeof Understanding>

export const getUnderstanding = route({
  method: 'GET',
  url: `${BASE_URL}/understanding`,
  tag: TAG,
  summary: 'Interpret the captured actions as a draft would, also during the capture; nothing is stored',
  waits: { for: 'the interpretation of the capture', at_most_ms: 120_000 },
  privilege: 'read',
  params,
  reply: z.object({
    understanding: Understanding.optional().describe('Absent until an action was captured on a device'),
    schema_version: SchemaVersion,
  }),
  fails: ['LEARN_SESSION_NOT_FOUND', 'SESSION_TIMEOUT', 'WORK_LIMIT_EXCEEDED', 'OVERLOADED'],
})
