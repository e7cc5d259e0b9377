import { z } from 'zod'
import { DateTime, requestBody, SchemaVersion } from '../base/fields.ts'
import { route } from '../base/route.ts'
import { Orientation } from './action.ts'
import { DEVICE_FAILURES, Serial } from './device.ts'
import { ExecutionRecord } from './executions.ts'
import { ElementBounds, ElementRole } from './snapshot.ts'

/** A hash of the image: equal images have equal ids. */
export const FrameId = z.string().regex(/^[0-9a-f]{32}$/)

/** `event: frame`. Sent when the image has changed. The image itself is fetched from one of the addresses. */
export const ScreenFrame = z
  .object({
    frame_id: FrameId,
    url: z.string().describe('The whole image as PNG'),
    jpeg_url: z
      .string()
      .optional()
      .describe('The whole image as JPEG. Absent where the daemon lacks the native library that encodes it.'),
    change: z
      .object({
        since: FrameId.describe('The frame over which the part is drawn'),
        url: z.string().describe('The part as JPEG'),
        jpeg: z.string().optional().describe('The part itself in base64. Absent if it is large.'),
        left: z.int().min(0),
        top: z.int().min(0),
        width: z.int().min(1),
        height: z.int().min(1),
      })
      .optional()
      .describe('The part that differs from the frame before. Absent if that is unknown, or most of the image.'),
    width: z.int().min(1),
    height: z.int().min(1),
    captured_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'ScreenFrame' })
export type ScreenFrame = z.infer<typeof ScreenFrame>

export const ScreenElement = z
  .object({
    index: z.int().min(0).describe('Position in the snapshot'),
    bounds: ElementBounds,
    label: z.string().describe('Empty for a password field'),
    role: ElementRole.nullable(),
    resource_id: z.string().nullable(),
    clickable: z.boolean(),
    long_clickable: z.boolean(),
    scrollable: z.boolean(),
    enabled: z.boolean(),
    focused: z.boolean(),
    password: z.boolean(),
  })
  .meta({ id: 'ScreenElement' })
export type ScreenElement = z.infer<typeof ScreenElement>

/** `event: elements`. The elements of the screen, for an overlay on the image. */
export const ScreenElements = z
  .object({
    snapshot_revision: z.int().min(1),
    fingerprint: z.string(),
    foreground: z.object({ package: z.string().nullable(), activity: z.string().nullable() }),
    elements: z.array(ScreenElement),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'ScreenElements' })
export type ScreenElements = z.infer<typeof ScreenElements>

/**
 * live          images are current
 * busy          an execution uses the device: images are current, elements may be older; or the device is kept for
 *               another user (code DEVICE_LEASED), and neither is sent
 * unreadable    images are current, but the elements could not be read
 * unresponsive  the device did not respond in time
 * offline, unauthorized, lost  no image is available
 */
export const ScreenCondition = z.enum(['live', 'busy', 'unreadable', 'unresponsive', 'offline', 'unauthorized', 'lost'])
export type ScreenCondition = z.infer<typeof ScreenCondition>

/** `event: screen_state`. */
export const ScreenState = z
  .object({
    state: ScreenCondition,
    code: z.string().max(80).optional().describe('A failure code'),
    message: z.string().optional(),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'ScreenState' })
export type ScreenState = z.infer<typeof ScreenState>

const TAG = 'devices'
const params = z.object({ serial: Serial })

export const streamScreen = route({
  method: 'GET',
  url: '/api/devices/:serial/screen',
  tag: TAG,
  summary: 'Stream the screen: events frame, elements and screen_state, newest only',
  privilege: 'write',
  params,
  query: z.object({ max_fps: z.coerce.number().int().min(1).max(10).default(4) }),
  reply: z.union([ScreenFrame, ScreenElements, ScreenState]),
  stream: true,
  fails: ['DEVICE_NOT_FOUND', 'DEVICE_LEASED', 'STREAM_LIMIT_REACHED', 'NOT_ACCEPTABLE', 'SHUTTING_DOWN'],
})

export const getScreenFrame = route({
  method: 'GET',
  url: '/api/devices/:serial/screen/frames/:frameId',
  tag: TAG,
  summary: 'Get an image that the screen stream announced; only the latest ones are held in memory',
  privilege: 'write',
  params: params.extend({ frameId: FrameId }),
  reply: z.unknown(),
  media: 'image/png',
  fails: ['NOT_FOUND', 'DEVICE_NOT_FOUND', 'DEVICE_LEASED'],
})

export const getScreenJpeg = route({
  method: 'GET',
  url: '/api/devices/:serial/screen/frames/:frameId/jpeg',
  tag: TAG,
  summary: 'Get an image that the screen stream announced as JPEG, or its part that differs from the frame before',
  privilege: 'write',
  params: params.extend({ frameId: FrameId }),
  query: z.object({ since: FrameId.optional() }),
  reply: z.unknown(),
  media: 'image/jpeg',
  fails: ['NOT_FOUND', 'DEVICE_NOT_FOUND', 'DEVICE_LEASED'],
})

const pixel = z.int().min(0).max(32_767)
const Place = z.strictObject({ x: pixel, y: pixel })
const input = <Kind extends string, Shape extends z.ZodRawShape>(kind: Kind, shape: Shape) =>
  requestBody({
    kind: z.literal(kind),
    ...shape,
    wait_ms: z.int().min(0).max(120_000).default(0),
  })

/** One manual input, in screen pixels. */
export const ScreenInput = z
  .discriminatedUnion('kind', [
    input('tap', { x: pixel, y: pixel }),
    input('long_press', { x: pixel, y: pixel }),
    input('swipe', { from: Place, to: Place }),
    input('text', { text: z.string().min(1).max(512), submit: z.boolean().default(false) }),
    input('key', { key: z.enum(['back', 'home', 'recents']) }),
    input('edit_key', { key: z.enum(['delete', 'enter']), times: z.int().min(1).max(512).default(1) }),
    input('orientation', { orientation: Orientation }),
  ])
  .meta({ id: 'ScreenInput' })
export type ScreenInput = z.infer<typeof ScreenInput>

export const sendInput = route({
  method: 'POST',
  url: '/api/devices/:serial/input',
  tag: TAG,
  summary: 'Send one manual input to a phone; it becomes an execution',
  privilege: 'write',
  params,
  body: ScreenInput,
  reply: z.object({ execution: ExecutionRecord, schema_version: SchemaVersion }),
  pending_status: 202,
  fails: DEVICE_FAILURES,
})
