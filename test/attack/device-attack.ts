import { setTimeout as sleep } from 'node:timers/promises'
import type { FailureCode } from '@apprentice/contracts/base/failures.ts'
import type { AnyContract } from '@apprentice/contracts/base/route.ts'
import { screenshotDevice, snapshotDevice } from '@apprentice/contracts/devices/device.ts'
import { createExecution } from '@apprentice/contracts/devices/executions.ts'
import { createPhone, type Phone } from '@apprentice/phone/phone.ts'
import { startAdbServer, type AdbServer } from '@apprentice/phone/wire/adb-server.ts'
import type { Attack } from './attack.ts'
import { ADMIN_TOKEN, AttackedDaemon } from './attacked-daemon.ts'
import { DEVICE_FAULTS, type DeviceFault } from './device-faults.ts'
import { buildExecution, openApp, tap } from './lesson.ts'
import { RequestSender } from './request-sender.ts'
import { findStuckWork } from './stuck-work.ts'

const LATENCY = { dumpMs: 1, inputMs: 1, launchMs: 1, screencapMs: 1, idleTimeoutMs: 1 }
const TIMEOUT_MS = 1000
const RECOVERY_MS = 60_000
/** How long a fault lasts while requests are sent. */
const FAULT_MS = 300
/** A phone that fails is what is behind the daemon. */
const PHONE_FAILURES = new Set<FailureCode>(['DEVICE_TIMEOUT', 'SNAPSHOT_EXTRACTION_FAILED'])

/** Uses a phone while its connection or the phone itself fails, and expects that it works again afterwards. */
export async function attackDevice(attack: Attack): Promise<void> {
  if (attack.plan.device_faults === 0) return
  const phone = createPhone({ serial: 'attacked-phone', latency: LATENCY })
  const server = await startAdbServer({ hosts: [phone] })
  const daemon = new AttackedDaemon({
    probe: attack.probe,
    env: { APPRENTICE_PHONE: 'adb', ADB_SERVER_SOCKET: `tcp:127.0.0.1:${server.port}` },
  })
  const sender = new RequestSender()
  try {
    await daemon.start()
    const attacker = new DeviceAttacker({ attack, daemon, server, phone, sender })
    await attacker.waitForPhone('the start')
    for (let at = 0; at < attack.plan.device_faults && !attack.isOver; at += 1) {
      const fault = DEVICE_FAULTS[(at * 7) % DEVICE_FAULTS.length]
      if (fault !== undefined) await attacker.fail(fault)
      attack.progress('device faults', at + 1)
    }
    for (const stuck of await findStuckWork(daemon, { local: ADMIN_TOKEN })) attack.stuck(`device faults: ${stuck}`)
    const code = await daemon.stop()
    if (code !== 0) attack.figures.fault(`after device faults the daemon stopped with ${String(code)}`)
  } finally {
    sender.close()
    await daemon.remove()
    await server.close()
  }
}

interface Parts {
  readonly attack: Attack
  readonly daemon: AttackedDaemon
  readonly server: AdbServer
  readonly phone: Phone
  readonly sender: RequestSender
}

class DeviceAttacker {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async fail(fault: DeviceFault): Promise<void> {
    const { server, phone, attack } = this.#parts
    const before = this.#sendAll()
    await fault.begin(server, phone)
    const during = this.#sendAll()
    await sleep(FAULT_MS)
    await fault.end(server, phone)
    await Promise.all([before, during])
    attack.figures.count('device_faults')
    await this.waitForPhone(fault.name)
  }

  /** Waits until the screen of the phone can be read. */
  async waitForPhone(after: string): Promise<void> {
    const { daemon, attack, phone } = this.#parts
    const until = Date.now() + RECOVERY_MS
    for (;;) {
      const reply = await daemon.call('POST', `/api/devices/${phone.serial}/snapshot`, { timeout_ms: 10_000 })
      if (reply.status === 200) return
      if (Date.now() > until || !daemon.isRunning) {
        attack.stuck(`the phone cannot be read after "${after}": ${reply.status} ${reply.text}`)
        return
      }
      await sleep(50)
    }
  }

  async #sendAll(): Promise<void> {
    const { serial } = this.#parts.phone
    const execution = buildExecution(
      [openApp(), tap('Reception'), { type: 'press_key', params: { key: 'back' } }],
      TIMEOUT_MS,
    )
    await Promise.all([
      this.#post(snapshotDevice, { timeout_ms: TIMEOUT_MS }),
      this.#post(screenshotDevice, { timeout_ms: TIMEOUT_MS }),
      this.#post(createExecution, { execution, serial, wait_ms: TIMEOUT_MS }),
    ])
  }

  async #post({ url }: AnyContract, body: object): Promise<void> {
    const { sender, daemon, attack, phone } = this.#parts
    const path = url.replace(':serial', phone.serial)
    const request = {
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(body)),
      what: `POST ${url}`,
      // Three requests wait for one phone, one after the other.
      asked_ms: 3 * TIMEOUT_MS,
      stream: false,
    }
    const answer = await sender.send(daemon, request, ADMIN_TOKEN)
    if (answer === undefined) attack.figures.fault(`${path} got no reply during a device fault`)
    else attack.figures.answer(answer, PHONE_FAILURES)
  }
}
