import type { EvidenceRef } from '@apprentice/contracts/devices/device.ts'
import type { DeviceManager, Looking } from './device-manager.ts'
import type { CallLimits } from '../../devices/adb/call-limits.ts'
import type { Driver } from '../../devices/driver/driver.ts'
import type { ScreenReading } from '../../devices/driver/screen-reading.ts'
import type { Screenshot } from '../../devices/driver/screenshot.ts'
import { assertFree } from '../../domain/devices/leases.ts'
import { deviceNotFound } from '../../domain/devices/sightings.ts'
import { asDeviceFailure } from './device-failure.ts'
import type { JobRunner, RunnerDeps } from '../../jobs/runner.ts'
import { findDevice } from '../../store/devices/devices.ts'
import { type EvidenceRow, insertEvidence } from '../../store/capture/evidence.ts'

type Owning = Pick<EvidenceRow, 'serial' | 'owner_user_id' | 'execution_id' | 'learn_session_id'>

/** Looking at devices on behalf of a request: leases are honoured, the lane is kept, failures have their codes. */
export class DeviceReader {
  readonly #floor: DeviceManager
  readonly #jobs: JobRunner
  readonly #edges: RunnerDeps

  constructor(floor: DeviceManager, jobs: JobRunner, edges: RunnerDeps) {
    this.#floor = floor
    this.#jobs = jobs
    this.#edges = edges
  }

  snapshot(serial: string, looking: Looking): Promise<ScreenReading> {
    return this.look(serial, looking, (driver, limits) => this.#floor.snapshot(driver, limits))
  }

  screenshot(serial: string, looking: Looking): Promise<Screenshot> {
    return this.look(serial, looking, (driver, limits) => driver.screenshot(limits))
  }

  /** The version of an app on the device; undefined when it is not there, or the device does not tell. */
  async appVersion(serial: string, looking: Looking, app: string): Promise<number | undefined> {
    const found = await this.look(serial, looking, (driver, limits) => driver.packages(limits))
    return found.find((one) => one.package === app)?.versionCode
  }

  async look<T>(
    serial: string,
    looking: Looking,
    work: (driver: Driver, limits: CallLimits) => Promise<T>,
  ): Promise<T> {
    this.#edges.store.read((reader) => {
      if (findDevice(reader, serial) === undefined) throw deviceNotFound(serial)
      assertFree(reader, serial, { user_id: looking.principal, now: this.#now() })
    })
    try {
      return await this.#floor.look(this.#jobs, serial, looking, work)
    } catch (error) {
      throw asDeviceFailure(error)
    }
  }

  /** Keeps a picture: the bytes first, then the row that makes them findable. */
  async keepPicture(png: Buffer, owning: Owning, media_type = 'image/png'): Promise<EvidenceRef> {
    const sha256 = await this.#floor.evidence.write(png)
    const row: EvidenceRow = {
      ...owning,
      evidence_id: this.#edges.newId(),
      media_type,
      sha256,
      bytes: png.length,
      created_at: this.#now(),
    }
    await this.#edges.store.write((tx) => insertEvidence(tx, row))
    const { evidence_id, bytes, created_at } = row
    return { evidence_id, media_type, bytes, created_at, url: `/api/evidence/${evidence_id}` }
  }

  #now(): string {
    return this.#edges.clock().toISOString()
  }
}
