import type { ScreenElements, ScreenFrame, ScreenState } from '@apprentice/contracts/devices/screen.ts'
import type { Phone } from '@apprentice/phone/phone.ts'
import { adminToken, type Daemon, type DaemonOptions, startDaemon } from '../kit/daemon.ts'
import { type Frame, openStream } from '../live/sse-client.ts'

export interface Watch {
  readonly status: number
  frames(): ScreenFrame[]
  elements(): ScreenElements[]
  states(): ScreenState[]
  /** Waits until the condition holds. It is checked at every event. */
  until(holds: () => boolean): Promise<void>
  readonly ended: Promise<void>
  close(): void
}

export interface WatchedDaemon {
  readonly daemon: Daemon
  readonly phone: Phone
  readonly serial: string
  readonly url: string
  readonly watch: (options?: { token?: string; maxFps?: number }) => Promise<Watch>
  /** The number of pictures taken so far. */
  readonly pictures: () => number
}

/** Starts a daemon with a simulated phone on a real socket and counts the pictures. */
export async function startWatched(options: DaemonOptions = {}): Promise<WatchedDaemon> {
  const daemon = await startDaemon({ ...options, config: { phone: 'simulated' } })
  const phone = daemon.system.devices.phone.simulated
  if (phone === undefined) throw new Error('no simulated phone')
  const { serial } = phone
  const { url } = await daemon.listen()
  let pictures = 0
  const driver = daemon.system.devices.driver(serial)
  const screenshot = driver.screenshot.bind(driver)
  driver.screenshot = (limits) => {
    pictures += 1
    return screenshot(limits)
  }
  return {
    daemon,
    phone,
    serial,
    url,
    pictures: () => pictures,
    watch: async ({ token = adminToken, maxFps = 10 } = {}) =>
      toWatch(await openStream(`${url}/api/devices/${serial}/screen?max_fps=${maxFps}`, { token })),
  }
}

function toWatch(stream: Awaited<ReturnType<typeof openStream>>): Watch {
  const named = <T>(frames: readonly Frame[], event: string): T[] =>
    frames.filter((frame) => frame.event === event).map((frame) => frame.data as unknown as T)
  return {
    status: stream.status,
    frames: () => named<ScreenFrame>(stream.frames, 'frame'),
    elements: () => named<ScreenElements>(stream.frames, 'elements'),
    states: () => named<ScreenState>(stream.frames, 'screen_state'),
    until: async (holds) => {
      await stream.until(() => holds())
    },
    ended: stream.ended,
    close: () => stream.close(),
  }
}

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
