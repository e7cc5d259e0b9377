import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { EngineClock } from '../../src/devices/engine/engine-host.ts'
import type { PhoneInUse } from '../../src/device-runtime/devices/phone-in-use.ts'
import { createPhone } from '@apprentice/phone/phone.ts'
import { startAdbServer } from '@apprentice/phone/wire/adb-server.ts'

/** A simulated phone and the clock of executions on it. Only their waiting advances the clock, and it takes no time. */
export interface QuickPhone {
  readonly phone: PhoneInUse
  readonly engineClock: EngineClock
  /** Advances the clock. */
  readonly wait: (ms: number) => Promise<void>
}

export async function startQuickPhone(simApps: string | undefined): Promise<QuickPhone> {
  let nowMs = Date.now()
  const clock = {
    now: () => nowMs,
    sleep: async (ms: number, signal?: AbortSignal) => {
      await yieldToOthers()
      if (signal?.aborted !== true) nowMs += ms
    },
  }
  const simulated = createPhone({ clock, ...(simApps === undefined ? {} : { appsDirs: [simApps] }) })
  const face = await startAdbServer({ hosts: [simulated] })
  return {
    phone: {
      server: { host: '127.0.0.1', port: face.port },
      description: `simulated (${simulated.serial})`,
      simulated,
      close: () => face.close(),
    },
    engineClock: clock,
    wait: (ms) => clock.sleep(ms),
  }
}
