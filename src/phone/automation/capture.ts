import { keyboardTop } from '../model/keyboard.ts'
import type { Device } from '../model/device.ts'
import { currentWindows } from '../windows/window.ts'
import { presentWindow } from '../windows/toolkit.ts'
import { HelperError, type InstrumentationProcess, type ResultBundle } from './instrumentation.ts'
import { createKeyboardTree, createSystemBars } from './system-windows.ts'
import { formatWindow, type AccessibleWindow, type TreeStats } from './tree-xml.ts'

export interface Capture {
  readonly xml: string
  readonly windowCount: number
  readonly nodeCount: number
  readonly truncated: boolean
  readonly elapsedMs: number
}

export interface CaptureLimits {
  readonly waitForIdleTimeoutMs: number
  readonly waitForIdleQuietMs: number
  readonly timeoutMs: number
  readonly maxDepth: number
  readonly maxNodes: number
}

const HEADER = `<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="0">`

/** Reads all windows, the topmost first. Unlike `uiautomator` it does not wait for a second without changes. */
export async function captureScreen(
  process: InstrumentationProcess,
  { maxDepth, maxNodes }: CaptureLimits,
): Promise<Capture> {
  const { device, signal, own } = process
  const startedMs = device.clock.now()
  if (device.dumping) {
    const message = 'Timed out waiting for Android UiAutomation to connect'
    throw new HelperError('java.util.concurrent.TimeoutException', message)
  }
  own.holdsScreen = true
  await device.clock.sleep(device.pickDelay(device.latency.helperMs ?? 0), signal)
  const stats: TreeStats = { nodeCount: 0, truncated: false, maxDepth, maxNodes }
  const windows = listWindows(device)
  const roots = windows.map((window, index) => formatWindow(window, index, stats))
  return {
    xml: `${HEADER}${roots.join('')}</hierarchy>`,
    windowCount: windows.length,
    nodeCount: stats.nodeCount,
    truncated: stats.truncated,
    elapsedMs: device.clock.now() - startedMs,
  }
}

function listWindows(device: Device): readonly AccessibleWindow[] {
  const windows = currentWindows(device)
  // On some phones the windows of some apps have no root for the helper.
  const shown = device.faults.consume('helperBlind') ? [] : windows
  const apps = shown.map((window, layer): AccessibleWindow => {
    const { toolkit } = window.app.document
    const root = toolkit === 'view' ? window.root : presentWindow(window.root, toolkit)
    const isActive = window === windows.at(-1)
    const isSystem = window.kind === 'keyguard' || window.kind === 'shade'
    return { root, type: isSystem ? 'system' : 'application', layer, isActive, isFocused: isActive }
  })
  const top = keyboardTop(device)
  const keyboard: readonly AccessibleWindow[] =
    top === undefined
      ? []
      : [
          {
            root: createKeyboardTree(device, top),
            type: 'keyboard',
            layer: windows.length,
            isActive: false,
            isFocused: false,
          },
        ]
  const bars = windows.length === 0 ? [] : createSystemBars(device, windows.length + 1)
  return [...bars, ...keyboard, ...apps.toReversed()]
}

export function describeCapture({ xml: _xml, ...facts }: Capture): ResultBundle {
  return { rootPresent: facts.windowCount > 0, captureMode: 'interactive-windows', ...facts }
}
