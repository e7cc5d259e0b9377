import { connect } from 'node:net'
import { AdbClient } from '../../src/devices/adb/adb-client.ts'
import { DeviceShell } from '../../src/devices/shell/device-shell.ts'
import { type RealAdb, realAdbAvailable, startRealAdb } from '../phone/wire/real-adb.ts'
import { NO_LATENCY, compareTimes, startPhones, measureMs } from './device-rig.ts'
import { type Figure, type Measure, median } from './figure.ts'

const WARMUP_TURNS = 5
const TURNS = 5
const ROUNDS_EACH = 120
const SPAWNS = 20
const LIMITS = { timeoutMs: 10_000 }
const ECHO_TEXT = 'bench text'
const ECHO_COMMAND = `echo ${ECHO_TEXT}`

/**
 * The round trip of a command through a real adb server to a phone in another process. The simulated phone starts a
 * shell without a process; a real phone forks, which takes two milliseconds or more. Both cases are measured.
 */
export const deviceShell: Figure = {
  name: 'device shell',
  baseline: 'the same command on a raw new connection each, or by the adb tool',
  run: async () => (realAdbAvailable() ? [...(await compareOn(0, '0 ms')), ...(await compareOn(2, '2 ms'))] : []),
}

async function compareOn(shellStartMs: number, takes: string): Promise<Measure[]> {
  const phones = await startPhones({ count: 1, latency: NO_LATENCY, shellStartMs })
  const adb = await startRealAdb()
  try {
    const phonePort = phones.adbd[0] ?? 0
    await adb.connect(phonePort)
    const measures = await compare(adb, adb.toSerial(phonePort))
    return measures.map((one) => ({ ...one, what: `${one.what}, a shell takes ${takes}` }))
  } finally {
    await adb.stop()
    await phones.close()
  }
}

async function compare(adb: RealAdb, serial: string): Promise<Measure[]> {
  const client = new AdbClient({ host: '127.0.0.1', port: adb.port })
  const [idle, busy] = [new DeviceShell(client, serial), new DeviceShell(client, serial)]
  try {
    for (const shell of [idle, busy]) await shell.openPersistent(LIMITS)
    // While the shell is busy, other commands use their own streams.
    const blocking = busy.run('sleep 600', { timeoutMs: 600_000 }).catch(() => undefined)
    const times = await measureInterleaved({
      persistent: () => requireEcho(idle.run(ECHO_COMMAND, LIMITS).then(({ stdout }) => stdout)),
      fresh: () => requireEcho(busy.run(ECHO_COMMAND, LIMITS).then(({ stdout }) => stdout)),
      raw: () => requireEcho(runRawCommand(adb.port, serial)),
    })
    const spawned: number[] = []
    for (let n = 0; n < SPAWNS; n += 1) {
      spawned.push(
        await measureMs(() => requireEcho(adb.cli(['-s', serial, 'shell', ECHO_COMMAND]).then(({ stdout }) => stdout))),
      )
    }
    busy.close()
    await blocking
    const unit = 'ms p50'
    return [
      compareTimes(0.6, {
        what: 'persistent shell',
        ours: times.persistent,
        baseline: times.raw,
        unit,
      }),
      compareTimes(1.2, {
        what: 'own stream',
        ours: times.fresh,
        baseline: times.raw,
        unit,
      }),
      compareTimes(0.1, {
        what: 'compared to the adb tool',
        ours: times.persistent,
        baseline: median(spawned),
        unit,
      }),
    ]
  } finally {
    for (const shell of [idle, busy]) shell.close()
  }
}

/**
 * Measures in turns, so that other load on the machine affects all alike. Each turn has several rounds, so that the
 * cleanup of one does not affect another.
 */
async function measureInterleaved<N extends string>(
  works: Readonly<Record<N, () => Promise<unknown>>>,
): Promise<Record<N, number>> {
  const named = Object.entries(works) as [N, () => Promise<unknown>][]
  const times = new Map<N, number[]>(named.map(([name]) => [name, []]))
  for (let turn = -WARMUP_TURNS; turn < TURNS; turn += 1) {
    for (const [name, work] of named) {
      for (let round = 0; round < ROUNDS_EACH; round += 1) {
        const took = await measureMs(work)
        if (turn >= 0) times.get(name)?.push(took)
      }
    }
  }
  const medians = [...times].map(([name, taken]) => [name, median(taken)])
  return Object.fromEntries(medians) as Record<N, number>
}

async function requireEcho(answer: Promise<Buffer>): Promise<void> {
  const output = (await answer).toString()
  if (!output.includes(ECHO_TEXT)) throw new Error(`The phone answered ${JSON.stringify(output)}.`)
}

/** The minimum of any client: connect, select the device, send the command, read up to the exit packet. */
function runRawCommand(port: number, serial: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port })
    let buffered = Buffer.alloc(0)
    let accepted = 0
    socket.setNoDelay(true)
    socket.on('error', reject)
    socket.on('connect', () => socket.write(frameRequest(`host:transport:${serial}`)))
    socket.on('data', (chunk: Buffer) => {
      buffered = Buffer.concat([buffered, chunk])
      while (accepted < 2 && buffered.length >= 4) {
        if (buffered.toString('latin1', 0, 4) !== 'OKAY') return reject(new Error(buffered.toString()))
        buffered = buffered.subarray(4)
        accepted += 1
        if (accepted === 1) socket.write(frameRequest(`shell,v2,raw:${ECHO_COMMAND}`))
      }
      if (accepted < 2 || !hasExitPacket(buffered)) return undefined
      socket.destroy()
      return resolve(buffered)
    })
  })
}

const frameRequest = (text: string): string => text.length.toString(16).padStart(4, '0') + text

/** A packet is an id, a length of four bytes and the data. Id 3 is the exit packet. */
function hasExitPacket(bytes: Buffer): boolean {
  for (let at = 0; at + 5 <= bytes.length; at += 5 + bytes.readUInt32LE(at + 1)) {
    if (bytes[at] === 3) return true
  }
  return false
}
