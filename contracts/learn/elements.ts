import { z } from 'zod'
import { DateTime, requestBody, SchemaVersion, Uuid } from '../base/fields.ts'
import { route } from '../base/route.ts'
import { NodeMatcher } from '../devices/matcher.ts'

const TAG = 'learn sessions'
const BASE_URL = '/api/learn/sessions/:sessionId/marks'
const params = z.object({ sessionId: Uuid })

/** A rectangle on the screen, in pixels. */
export const ElementBounds = z
  .object({ left: z.int(), top: z.int(), right: z.int(), bottom: z.int() })
  .meta({ id: 'ElementBounds' })
export type ElementBounds = z.infer<typeof ElementBounds>

/**
 * proof     it shows that the workflow was done
 * output    a run returns its value
 * input     it is different each time
 * constant  it is the same each time
 */
export const ElementMarkKind = z.enum(['proof', 'output', 'input', 'constant'])
export type ElementMarkKind = z.infer<typeof ElementMarkKind>

/** `list`: the values of all rows like the one pointed at. `column`: the same, by the name of the row. */
export const MarkedValueType = z.enum(['text', 'number', 'list', 'column'])
export type MarkedValueType = z.infer<typeof MarkedValueType>

/** The name of an output or input. */
export const MarkedName = z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/)

export const ElementReference = z
  .strictObject({
    event_id: Uuid.optional().describe('The observed step; by default the last one'),
    screen: z
      .enum(['before', 'after', 'now'])
      .default('after')
      .describe(
        'The screen before or after the step; `now` reads the device, after the last step of a running capture',
      ),
    path: z
      .string()
      .regex(/^\d{1,4}(\.\d{1,4}){0,99}$/)
      .optional()
      .describe('The path of the element in the tree of the screen'),
    point: z.strictObject({ x: z.int().min(0).max(100_000), y: z.int().min(0).max(100_000) }).optional(),
    selector: NodeMatcher.optional(),
  })
  .refine(({ path, point, selector }) => [path, point, selector].filter((one) => one !== undefined).length === 1, {
    error: 'must have exactly one of path, point and selector',
  })
  .refine(({ screen, event_id }) => screen !== 'now' || event_id === undefined, {
    path: ['event_id'],
    error: 'cannot be combined with the screen now, which belongs to the last step',
  })
  .meta({ id: 'ElementReference' })
export type ElementReference = z.output<typeof ElementReference>

/** An element on a kept screen that the person pointed at. */
export const ElementMark = z
  .object({
    mark_id: Uuid,
    learn_session_id: Uuid,
    kind: ElementMarkKind,
    event_id: Uuid,
    screen: z.enum(['before', 'after']),
    node_path: z.string().max(500),
    label: z.string().max(240).describe('What the element shows; empty if it shows no text'),
    name: MarkedName.optional(),
    value_type: MarkedValueType.optional(),
    evidence_ref: z.string().max(240).describe('The tree of the screen'),
    bounds: ElementBounds.optional(),
    created_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'ElementMark' })
export type ElementMark = z.infer<typeof ElementMark>

export const markElement = route({
  method: 'POST',
  url: BASE_URL,
  tag: TAG,
  summary: 'Point at an element of a kept screen: it proves the outcome, is returned, is an input, or never changes',
  waits: { for: 'the last screen of the phone', at_most_ms: 8000 },
  privilege: 'write',
  params,
  body: requestBody({
    kind: ElementMarkKind,
    element: ElementReference,
    name: MarkedName.optional().describe('The name of an output or input; by default made from the screen'),
    value_type: MarkedValueType.optional().describe('What an output returns; by default a text'),
  })
    .refine(({ kind, value_type }) => value_type === undefined || kind === 'output', {
      path: ['value_type'],
      error: 'is allowed only for an output',
    })
    .refine(({ kind, name }) => name === undefined || kind === 'output' || kind === 'input', {
      path: ['name'],
      error: 'is allowed only for an output or an input',
    }),
  reply: z.object({ mark: ElementMark, schema_version: SchemaVersion }),
  status: 201,
  fails: [
    'LEARN_SESSION_NOT_FOUND',
    'INVALID_LEARN_STATE_TRANSITION',
    'SESSION_TIMEOUT',
    'OBSERVATION_EVENT_NOT_FOUND',
    'ELEMENT_NOT_FOUND',
    'ELEMENT_AMBIGUOUS',
    'DEVICE_OFFLINE',
    'DEVICE_TIMEOUT',
    'DEVICE_LOST',
    'SNAPSHOT_EXTRACTION_FAILED',
  ],
})

export const listElementMarks = route({
  method: 'GET',
  url: BASE_URL,
  tag: TAG,
  summary: 'List the elements that the person pointed at, in order',
  privilege: 'read',
  params,
  reply: z.object({ marks: z.array(ElementMark), schema_version: SchemaVersion }),
  fails: ['LEARN_SESSION_NOT_FOUND', 'SESSION_TIMEOUT'],
})

export const deleteElementMark = route({
  method: 'DELETE',
  url: `${BASE_URL}/:markId`,
  tag: TAG,
  summary: 'Remove a mark',
  privilege: 'write',
  params: params.extend({ markId: Uuid }),
  reply: z.object({ deleted: z.literal(true) }),
  fails: ['LEARN_SESSION_NOT_FOUND', 'INVALID_LEARN_STATE_TRANSITION', 'SESSION_TIMEOUT', 'ELEMENT_MARK_NOT_FOUND'],
})
