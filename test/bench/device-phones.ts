import { join } from 'node:path'
import { createPhone, type LatencyProfile } from '@apprentice/phone/phone.ts'
import { startAdbServer } from '@apprentice/phone/wire/adb-server.ts'
import { startAdbdDevice } from '@apprentice/phone/wire/adbd-device.ts'
import { run } from '../phone/phone-shell.ts'

/**
 * Simulated phones in their own process, so that their computing time is not measured. Prints their addresses and
 * runs until it is killed.
 */
export interface PhonesRequest {
  readonly count: number
  readonly latency: LatencyProfile
  /** The time a phone takes to start the shell of a new stream. */
  readonly shellStartMs?: number
}

export interface StartedPhones {
  /** The port of an adb server with all phones. */
  readonly server: number
  readonly serials: readonly string[]
  /** The adbd port of each phone. */
  readonly adbd: readonly number[]
}

const { count, latency, shellStartMs = 0 } = JSON.parse(process.argv[2] ?? '') as PhonesRequest
const apps = join(import.meta.dirname, '..', 'devices', 'pool', 'apps')
const phones = Array.from({ length: count }, (_, at) =>
  createPhone({ serial: `bench-${at + 1}`, appsDirs: [apps], latency }),
)
for (const phone of phones) {
  const { stdout } = await run(phone, 'am start -W -n org.example.marks/.MarksActivity')
  if (!stdout.includes('Status: ok')) throw new Error(stdout)
}
const face = await startAdbServer({ hosts: phones })
const faces = await Promise.all(phones.map((host) => startAdbdDevice({ host })))
for (const { faults } of [face, ...faces]) faults.set({ commandDelayMs: shellStartMs })
const started: StartedPhones = {
  server: face.port,
  serials: phones.map(({ serial }) => serial),
  adbd: faces.map(({ port }) => port),
}
process.stdout.write(`${JSON.stringify(started)}\n`)
