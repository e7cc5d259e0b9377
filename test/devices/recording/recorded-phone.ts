import { onTestFinished } from 'vitest'
import { AndroidDriver } from '../../../src/devices/driver/android-driver.ts'
import { DeviceShell } from '../../../src/devices/shell/device-shell.ts'
import type { Driver } from '../../../src/devices/driver/driver.ts'
import type { DescribedStep } from '../../../src/devices/recording/step-description.ts'
import { TouchRecorder } from '../../../src/devices/touch/touch-recorder.ts'
import type { TouchDevice } from '../../../src/devices/touch/touch-setup.ts'
import type { TransportFailure } from '../../../src/devices/adb/transport-failure.ts'
import { createPhone, type Phone, type PhoneOptions } from '@apprentice/phone/phone.ts'
import { eventually } from '../driver/outcomes.ts'
import { type Rig, currentRigKind } from '../driver/rigs.ts'
import { countScreenReads } from '../screen-reads.ts'

export const LIMITS = { timeoutMs: 10_000 }

/** A simulated phone that a person touches, and its adb connection. */
export class RecordedPhone {
  readonly phone: Phone
  readonly rig: Rig
  readonly device: TouchDevice
  readonly steps: DescribedStep[] = []
  readonly losses: TransportFailure[] = []
  readonly #reads: () => number
  #recorded = false

  private constructor(phone: Phone, rig: Rig, device: TouchDevice) {
    this.phone = phone
    this.rig = rig
    this.device = device
    this.#reads = countScreenReads(device.driver)
  }

  static async make(options: PhoneOptions = {}): Promise<RecordedPhone> {
    const phone = createPhone({ serial: 'sim-1', ...options })
    const rig = await currentRigKind.start([phone])
    const serial = rig.serial(phone)
    const shell = new DeviceShell(rig.client, serial)
    onTestFinished(() => shell.close())
    const driver = new AndroidDriver(shell, { server: rig.server, serial })
    return new RecordedPhone(phone, rig, { driver, shell, server: rig.server })
  }

  get driver(): Driver {
    return this.device.driver
  }

  async record(settleMs = 80): Promise<TouchRecorder> {
    const recorder = await TouchRecorder.start(
      {
        sessionId: 'hands-on',
        device: this.device,
        settleMs,
        readTimeoutMs: 3000,
        onStep: ({ described }) => this.steps.push(described),
        onLost: (failure) => this.losses.push(failure),
      },
      LIMITS,
    )
    onTestFinished(async () => {
      await recorder.stop({ timeoutMs: 1000 })
    })
    this.#recorded = true
    return recorder
  }

  /** Does something by touch and waits until the recorder reports a step. */
  async byHand(touch: () => Promise<void>): Promise<void> {
    const before = this.steps.length
    await touch()
    await eventually(
      () => this.steps.length,
      (steps) => steps > before,
    )
  }

  touch(name: string, durationMs?: number): Promise<void> {
    return this.byHand(async () => {
      const { x, y } = this.findMiddle(name)
      await this.phone.person.touch(x, y, durationMs)
    })
  }

  /** The middle of the node with a text, a description or an id. */
  findMiddle(name: string): { x: number; y: number } {
    const nodes = this.phone.screenNodes()
    const found = nodes.find(
      ({ text, description, resourceId }) =>
        text === name || description === name || resourceId.endsWith(`:id/${name}`),
    )
    if (found === undefined) {
      const seen = nodes.map(({ text, description }) => text || description).filter(Boolean)
      throw new Error(`no node "${name}" among ${seen.join(' | ')}`)
    }
    const { left, top, right, bottom } = found.bounds
    return { x: Math.floor((left + right) / 2), y: Math.floor((top + bottom) / 2) }
  }

  shows(name: string): boolean {
    return this.phone.screenNodes().some(({ text }) => text === name)
  }

  /** Waits until a text is displayed and the recorder, if there is one, has read the screen. */
  async waitFor(name: string): Promise<void> {
    await eventually(
      () => this.shows(name),
      (isShown) => isShown,
    )
    if (!this.#recorded) return
    const before = this.#reads()
    await eventually(this.#reads, (reads) => reads > before + 1)
  }
}
