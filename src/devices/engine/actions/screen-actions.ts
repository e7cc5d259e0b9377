import type { ActionType } from '@apprentice/contracts/devices/action.ts'
import type { ParamsOf } from './action-params.ts'
import type { EngineRun } from '../engine-run.ts'
import { retrying } from '../retrying.ts'
import type { ScreenReading } from '../screen-reading.ts'
import { lookOrFail } from '../screen-reads.ts'
import type { StepNotes } from '../step-evidence.ts'
import { type StepData, StepFailure, naming, refusedBy } from '../step-failure.ts'

/** The screen as XML, and whose it is. */
export async function snapshotUi(
  run: EngineRun,
  params: ParamsOf<'snapshot_ui'>,
  context: { readonly previous: ActionType | undefined; readonly notes: StepNotes },
): Promise<StepData> {
  const reading = await retrying(run, params.retry, () => lookOrFail(run))
  context.notes.before = reading
  const front = await run.ask((driver, limits) => driver.foreground(limits))
  return {
    text: reading.xml,
    actual_format: 'hierarchy_xml',
    ...windowFacts(reading, front?.package),
    ...(CLICKS.has(context.previous) && { warn: SETTLE_ADVICE }),
  }
}

const CLICKS: ReadonlySet<ActionType | undefined> = new Set(['click', 'scroll_and_click'])
const SETTLE_ADVICE =
  'Taken right after a click: the screen may still be changing. Put wait_for_node, wait_for_navigation or sleep between them.'

/**
 * A dump holds the active window alone. When that belongs to another package than the app in front,
 * it lies above it; without knowing the app in front nothing is said of it.
 */
function windowFacts(reading: ScreenReading, front: string | undefined): StepData {
  const shown = reading.package
  const facts = {
    foreground_package: front ?? shown,
    window_count: String(reading.hierarchy.roots.length),
  }
  if (front === undefined) return facts
  const covered = shown !== '' && shown !== front
  return { ...facts, has_overlay: String(covered), overlay_package: covered ? shown : '' }
}

/** The picture goes where the host keeps pictures; a path of the caller's is only repeated. */
export function takeScreenshot(
  run: EngineRun,
  { path, retry }: ParamsOf<'take_screenshot'>,
): Promise<StepData> {
  return retrying(run, retry, async () => {
    const taking = run.ask((driver, limits) => driver.screenshot(limits))
    const { png, width, height } = await naming(taking, (failure) =>
      refusedBy(failure, { retryable: true }),
    )
    const kept = await keep(run, png, { width, height })
    return {
      ...kept,
      width: String(width),
      height: String(height),
      ...(path !== undefined && { requested_path: path }),
    }
  })
}

async function keep(
  run: EngineRun,
  png: Buffer,
  size: { readonly width: number; readonly height: number },
): Promise<StepData> {
  try {
    const { path, evidence_id } = await run.host.keepScreenshot(png, size)
    return { path, evidence_id }
  } catch (cause) {
    const message = 'The picture was taken and could not be kept.'
    throw new StepFailure('SCREENSHOT_NOT_KEPT', message, { cause })
  }
}
