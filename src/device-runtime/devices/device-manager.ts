import type { Config } from '../../config/config.ts'
import type { DeviceFacts } from '@apprentice/contracts/devices/device.ts'
import type { RevisionState, Snapshot } from '@apprentice/contracts/devices/snapshot.ts'
import { DevicePlane } from './device-plane.ts'
import type { CallLimits } from '../../devices/adb/call-limits.ts'
import type { Driver } from '../../devices/driver/driver.ts'
import type { AppBuild } from '../../devices/driver/fact-parsers.ts'
import type { TouchDevice } from '../../devices/touch/touch-setup.ts'
import { toFacts } from '../../devices/driver/facts-view.ts'
import { readScreen, type ScreenReading } from '../../devices/driver/screen-reading.ts'
import { revisionState } from '../../screen/snapshot.ts'
import type { CommandContext } from '../../domain/command/context.ts'
import { laneOf } from '../../domain/devices/executions.ts'
import { recordFacts, recordSighting } from '../../domain/devices/sightings.ts'
import { EvidenceFiles } from '../../files/evidence-files.ts'
import type { JobRunner, RunnerDeps } from '../../jobs/runner.ts'
import type { PhoneInUse } from './phone-in-use.ts'

export interface Looking {
  readonly principal: string
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

/** All phones the daemon works with: who is there, a driver for each, and one lane through which all of it goes. */
export class DeviceManager {
  readonly phone: PhoneInUse
  readonly evidence: EvidenceFiles
  readonly #edges: RunnerDeps
  readonly #plane: DevicePlane
  readonly #revisions = new Map<string, RevisionState>()

  private constructor(edges: RunnerDeps, phone: PhoneInUse, home: string) {
    this.#edges = edges
    this.phone = phone
    this.evidence = new EvidenceFiles(home)
    this.#plane = new DevicePlane({
      server: phone.server,
      onSighting: ({ serial, state }) => {
        this.#write((ctx) =>
          recordSighting(ctx, { serial, state, simulated: phone.simulated !== undefined }),
        )
        if (state === 'device') void this.refreshFacts(serial)
      },
    })
  }

  static async open(config: Config, edges: RunnerDeps, phone: PhoneInUse): Promise<DeviceManager> {
    const floor = new DeviceManager(edges, phone, config.home)
    if (config.phone !== 'none') await floor.#plane.start()
    return floor
  }

  driver(serial: string): Driver {
    return this.#plane.driver(serial)
  }

  touchDevice(serial: string): TouchDevice {
    return this.#plane.touchDevice(serial)
  }

  get serverUp(): boolean {
    return this.#plane.serverUp
  }

  /** Looks at a device in its lane, between executions. */
  look<T>(
    jobs: JobRunner,
    serial: string,
    { principal, timeoutMs, signal }: Looking,
    work: (driver: Driver, limits: CallLimits) => Promise<T>,
  ): Promise<T> {
    const own = AbortSignal.timeout(timeoutMs)
    const either = signal === undefined ? own : AbortSignal.any([own, signal])
    return jobs.inLane(laneOf(serial), { principal, signal: either }, () =>
      work(this.driver(serial), { timeoutMs, signal: either }),
    )
  }

  /** A good reading of the screen, numbered after the last one of this device; fails if it cannot be read. */
  async snapshot(
    driver: Driver,
    limits: CallLimits,
  ): Promise<ScreenReading & { snapshot: Snapshot }> {
    const reading = await readScreen(driver, limits, this.#revisions.get(driver.serial) ?? null)
    this.#revisions.set(driver.serial, revisionState(reading.snapshot))
    return reading
  }

  /** What the device says of itself now; undefined when it does not answer. */
  async refreshFacts(serial: string): Promise<DeviceFacts | undefined> {
    try {
      const told = await this.driver(serial).facts({ timeoutMs: 5000 })
      const facts = toFacts(told)
      this.#write((ctx) => recordFacts(ctx, serial, { facts, simulated: told.isSimulated }))
      return facts
    } catch (error) {
      this.#edges.log.debug({ err: error, serial }, 'a device did not tell its facts')
      return undefined
    }
  }

  /** Which build of an app a device has; undefined when it does not tell. */
  async appBuild(serial: string, app: string): Promise<AppBuild | undefined> {
    try {
      return await this.driver(serial).appBuild(app, { timeoutMs: 5000 })
    } catch (error) {
      this.#edges.log.debug(
        { err: error, serial, app },
        'a device did not tell the build of an app',
      )
      return undefined
    }
  }

  async close(): Promise<void> {
    this.#plane.stop()
    await this.phone.close()
  }

  #write(work: (ctx: CommandContext) => void): void {
    const { store, clock, newId, log } = this.#edges
    const now = clock().toISOString()
    const actor = { kind: 'system', user_id: 'system' } as const
    store
      .write((tx) => {
        work({ tx, now, actor, correlation_id: `device:${newId()}`, newId })
      })
      .catch((error: unknown) =>
        log.error({ err: error }, 'what a device showed could not be written'),
      )
  }
}
