import type { InstalledApp } from '@apprentice/contracts/devices/apps.ts'
import type { EvidenceRef } from '@apprentice/contracts/devices/device.ts'
import type { RevisionState } from '@apprentice/contracts/devices/snapshot.ts'
import type { CallLimits } from '../../devices/adb/call-limits.ts'
import type { Driver } from '../../devices/driver/driver.ts'
import { takeSnapshot, type ScreenSnapshot } from '../../devices/driver/screen-snapshot.ts'
import type { Screenshot } from '../../devices/driver/screenshot.ts'
import { toRevisionState } from '../../screen/snapshot.ts'
import { assertDeviceAvailable, listHolders } from '../../domain/devices/leases.ts'
import { deviceNotFound } from '../../domain/devices/device-record.ts'
import type { ContentFiles } from '../../files/content-files.ts'
import type { RunnerDeps } from '../../jobs/runner.ts'
import { findDevice } from '../../store/devices/devices.ts'
import { type EvidenceRow, insertEvidence } from '../../store/capture/evidence.ts'
import { toDeviceFailure } from './device-failure.ts'
import { listInstalledApps } from './installed-apps.ts'
import { printSnapshotReply } from './snapshot-reply.ts'
import type { DeviceAccess, DeviceManager } from './device-manager.ts'

export interface DeviceReaderDeps extends RunnerDeps {
  readonly devices: DeviceManager
  readonly evidenceFiles: ContentFiles
}

type PictureOwner = Pick<EvidenceRow, 'serial' | 'owner_user_id' | 'execution_id' | 'learn_session_id'>

/** Reads screens and pictures of devices through their queues. */
export class DeviceReader {
  readonly #deps: DeviceReaderDeps
  readonly #revisions = new Map<string, RevisionState>()

  constructor(deps: DeviceReaderDeps) {
    this.#deps = deps
  }

  snapshot(serial: string, access: DeviceAccess): Promise<ScreenSnapshot> {
    return this.withDriver(serial, access, (driver, limits) => this.readScreen(driver, limits))
  }

  /** Prints the reply to a request for a snapshot. */
  readonly printSnapshot = printSnapshotReply

  screenshot(serial: string, access: DeviceAccess): Promise<Screenshot> {
    return this.withDriver(serial, access, (driver, limits) => driver.screenshot(limits))
  }

  /** Returns undefined if the app is not installed. */
  async appVersion(serial: string, access: DeviceAccess, app: string): Promise<number | undefined> {
    const found = await this.withDriver(serial, access, (driver, limits) => driver.packages(limits))
    return found.find((one) => one.package === app)?.versionCode
  }

  /** The apps that a person can start, by name. */
  async listApps(serial: string, access: DeviceAccess): Promise<InstalledApp[]> {
    const found = await this.withDriver(serial, access, (driver, limits) => driver.launchables(limits))
    return listInstalledApps(found)
  }

  /** Runs work in the queue of a device unless it is kept for another user. Errors become public failures. */
  async withDriver<T>(
    serial: string,
    access: DeviceAccess,
    work: (driver: Driver, limits: CallLimits) => Promise<T>,
  ): Promise<T> {
    this.assertAvailable(serial, access.principal)
    try {
      return await this.#deps.devices.runInQueue(serial, access, (driver, limits) => {
        // Checked again: while the work was queued, another user may have leased the device or begun a capture.
        this.assertAvailable(serial, access.principal)
        return work(driver, limits)
      })
    } catch (error) {
      throw toDeviceFailure(error)
    }
  }

  /** Throws when the device is unknown or kept for another user. */
  assertAvailable(serial: string, user_id: string): void {
    this.#deps.store.read((reader) => {
      if (findDevice(reader, serial) === undefined) throw deviceNotFound(serial)
      assertDeviceAvailable(reader, serial, { user_id, now: this.#now() })
    })
  }

  /** The users for whom a device is kept. */
  listHolders(serial: string): readonly string[] {
    return this.#deps.store.read((reader) => listHolders(reader, serial, this.#now()))
  }

  /** Reads the screen and numbers the reading after the last one of its device. Call it in the device's queue. */
  async readScreen(driver: Driver, limits: CallLimits): Promise<ScreenSnapshot> {
    const reading = await takeSnapshot(driver, limits, this.#revisions.get(driver.serial) ?? null)
    this.#revisions.set(driver.serial, toRevisionState(reading.snapshot))
    return reading
  }

  /** Stores a picture: the file first, then the row that refers to it. */
  async savePicture(png: Buffer, owner: PictureOwner): Promise<EvidenceRef> {
    const { evidenceFiles, newId, store } = this.#deps
    const sha256 = await evidenceFiles.write(png)
    const row: EvidenceRow = {
      ...owner,
      evidence_id: newId(),
      media_type: 'image/png',
      sha256,
      bytes: png.length,
      created_at: this.#now(),
    }
    await store.write((tx) => insertEvidence(tx, row))
    const { evidence_id, media_type, bytes, created_at } = row
    return { evidence_id, media_type, bytes, created_at, url: `/api/evidence/${evidence_id}` }
  }

  #now(): string {
    return this.#deps.clock().toISOString()
  }
}
