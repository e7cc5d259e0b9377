import { z } from 'zod'
import { applyGesture } from '../input/gestures.ts'
import type { Device } from '../model/device.ts'
import { activeWindow } from '../windows/window.ts'
import { HelperError, type ResultBundle } from './instrumentation.ts'

const Sample = z.object({ offsetMs: z.number().int().nonnegative(), x: z.number(), y: z.number() })
const TouchPlan = z.object({
  protocol: z.literal('android-touch-plan-v1'),
  kind: z.enum(['swipe', 'transform']),
  durationMs: z.number().int().min(0).max(120_000),
  pointers: z.array(z.object({ pointerId: z.number().int(), samples: z.array(Sample).min(2) })).min(1),
})
type TouchPlan = z.infer<typeof TouchPlan>

/** The bounds of the window that receives touches. */
export function findViewport(device: Device) {
  const window = activeWindow(device)
  if (window === undefined) {
    throw new HelperError('java.lang.IllegalStateException', 'Active application interaction viewport is unavailable')
  }
  const { left, top, right, bottom } = window.root.bounds
  return { x: left, y: top, width: right - left, height: bottom - top }
}

/** Performs the touches of a plan. The simulated apps do not react to two fingers. */
export async function applyTouchPlan(device: Device, payload: string): Promise<ResultBundle> {
  const plan = parsePlan(payload)
  const samples = plan.pointers[0]?.samples ?? []
  const [first, last] = [samples[0], samples.at(-1)]
  const realMs = device.latency.inputMs === 0 ? 0 : plan.durationMs
  await device.clock.sleep(realMs)
  if (plan.kind === 'swipe' && first !== undefined && last !== undefined) {
    const { durationMs } = plan
    applyGesture(device, { x1: first.x, y1: first.y, x2: last.x, y2: last.y, durationMs, held: restsFirst(samples) })
  }
  const injectedEvents = plan.pointers.reduce((sum, pointer) => sum + pointer.samples.length, 0)
  return { kind: plan.kind, injectedEvents, elapsedMs: realMs }
}

const HOLD_MS = 500

/** Whether the finger rests for a long press before it moves. */
function restsFirst(samples: TouchPlan['pointers'][number]['samples']): boolean {
  const [first] = samples
  const moved = samples.find(({ x, y }) => x !== first?.x || y !== first.y)
  return (moved?.offsetMs ?? 0) > HOLD_MS
}

function parsePlan(payload: string): TouchPlan {
  if (payload === '') throw new HelperError('java.lang.IllegalArgumentException', 'Missing payloadBase64')
  try {
    return checkPlan(TouchPlan.parse(JSON.parse(Buffer.from(payload, 'base64').toString('utf8'))))
  } catch (error) {
    if (error instanceof HelperError) throw error
    throw new HelperError('org.json.JSONException', 'the touch plan is not valid')
  }
}

function checkPlan(plan: TouchPlan): TouchPlan {
  const count = plan.kind === 'swipe' ? 1 : 2
  if (plan.pointers.length !== count) {
    throw new HelperError(
      'java.lang.IllegalArgumentException',
      `${plan.kind} gesture requires exactly ${count} pointer paths`,
    )
  }
  for (const { samples } of plan.pointers) {
    if (samples[0]?.offsetMs !== 0 || samples.at(-1)?.offsetMs !== plan.durationMs) {
      throw new HelperError('java.lang.IllegalArgumentException', 'Pointer path must start at 0 and end at durationMs')
    }
  }
  return plan
}
