import type { ActionType } from '@apprentice/contracts/devices/action.ts'
import type { ActionParams } from './action-params.ts'
import type { EngineExecution } from '../engine-execution.ts'
import { withRetry } from '../retry.ts'
import type { ScreenReading } from '../screen-reading.ts'
import { readScreenOnce } from '../read-screen.ts'
import type { StepNotes } from '../step-evidence.ts'
import { type StepData, StepFailure, translateFailure, toStepFailure } from '../step-failure.ts'

/** Returns the screen as XML, with the packages of the windows. */
export async function snapshotUi(
  execution: EngineExecution,
  params: ActionParams<'snapshot_ui'>,
  context: { readonly previous: ActionType | undefined; readonly notes: StepNotes },
): Promise<StepData> {
  const reading = await withRetry(execution, params.retry, () => readScreenOnce(execution))
  context.notes.before = reading
  const front = await execution.query((driver, limits) => driver.foreground(limits))
  return {
    text: await reading.printXml(),
    actual_format: 'hierarchy_xml',
    ...readWindowFacts(reading, front?.package),
    ...(CLICKS.has(context.previous) && { warn: SETTLE_ADVICE }),
  }
}

const CLICKS: ReadonlySet<ActionType | undefined> = new Set(['click', 'scroll_and_click'])
const SETTLE_ADVICE =
  'Taken right after a click: the screen may still be changing. Put wait_for_node, wait_for_navigation or sleep between them.'

/**
 * A dump contains only the active window. If its package is not that of the foreground app, it is an
 * overlay. If the foreground app is unknown, overlays are not reported.
 */
function readWindowFacts(reading: ScreenReading, front: string | undefined): StepData {
  const active = reading.package
  const facts = {
    foreground_package: front ?? active,
    window_count: String(reading.hierarchy.roots.length),
  }
  if (front === undefined) return facts
  const covered = active !== '' && active !== front
  return { ...facts, has_overlay: String(covered), overlay_package: covered ? active : '' }
}

/** The host stores the screenshot. The requested path is only returned. */
export function takeScreenshot(
  execution: EngineExecution,
  { path, retry }: ActionParams<'take_screenshot'>,
): Promise<StepData> {
  return withRetry(execution, retry, async () => {
    const taking = execution.query((driver, limits) => driver.screenshot(limits))
    const { png, width, height } = await translateFailure(taking, (failure) =>
      toStepFailure(failure, { retryable: true }),
    )
    const stored = await saveScreenshot(execution, png, { width, height })
    return {
      ...stored,
      width: String(width),
      height: String(height),
      ...(path !== undefined && { requested_path: path }),
    }
  })
}

async function saveScreenshot(
  execution: EngineExecution,
  png: Buffer,
  size: { readonly width: number; readonly height: number },
): Promise<StepData> {
  try {
    const { path, evidence_id } = await execution.host.saveScreenshot(png, size)
    return { path, evidence_id }
  } catch (cause) {
    const message = 'The screenshot was taken but could not be stored.'
    throw new StepFailure('SCREENSHOT_NOT_KEPT', message, { cause })
  }
}
