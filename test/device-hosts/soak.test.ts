import { expect, test } from 'vitest'
import { startFaultRig } from './fault-rig.ts'
import { explains, runFaultSoak, type SoakResult } from './fault-soak.ts'
import { redisAvailable } from './redis-server.ts'

// HOST_FAULTS=200 looks longer; HOST_SEED repeats a run.
const faults = Number(process.env['HOST_FAULTS'] ?? 6)
const seed = Number(process.env['HOST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const LOST_AFTER_MS = 2000
/** A fault and the return of all phones take four seconds on a machine with load. */
const FAULT_LIMIT_MS = 15_000

test.skipIf(!redisAvailable)(
  'random faults lose no acknowledged execution, do no step twice, and every phone returns',
  async () => {
    const rig = await startFaultRig({ hosts: 2, phones: 2, lostAfterMs: LOST_AFTER_MS, latencyMs: 20 })
    for (const host of rig.hosts) host.start()
    for (const { serial } of rig.hosts.flatMap(({ phones }) => phones)) await rig.waitForState(serial, 'device')
    const withinMs = 60_000 + faults * FAULT_LIMIT_MS
    const result = await runFaultSoak(rig, { seed, faults, lostAfterMs: LOST_AFTER_MS, withinMs })
    process.stdout.write(`${formatSoak(seed, result)}\n`)
    expect(result).toMatchObject({ lost: [], unexplained: [] })
    expect(Object.keys(result.states).filter((state) => ['queued', 'running', 'unknown'].includes(state))).toEqual([])
    expect(result.states['succeeded']).toBeGreaterThan(0)
    expect(Object.values(result.faults).reduce((sum, count) => sum + count, 0)).toBe(faults)
  },
  180_000 + faults * FAULT_LIMIT_MS,
)

function formatSoak(
  seed: number,
  { faults, acknowledged, states, lost, taps, unexplained, usableAfterMs }: SoakResult,
) {
  const times = Object.entries(usableAfterMs).map(([fault, ms]) => {
    const sorted = ms.toSorted((a, b) => a - b)
    return `  ${fault}: ${ms.length} times; usable after ${sorted[Math.floor(sorted.length / 2)]} ms, at most ${sorted.at(-1)} ms`
  })
  return [
    `seed ${seed}: ${Object.values(faults).reduce((sum, count) => sum + count, 0)} faults`,
    `  ${acknowledged} executions acknowledged, ${lost.length} lost; ${JSON.stringify(states)}`,
    `  ${taps} steps on the phones, ${unexplained.length} phones with a step done twice, too late or for nobody`,
    ...times,
  ].join('\n')
}

test('taps that are repeated, missing, late or of nobody are noticed', () => {
  const sure = (mark: string) => ({ mark, isSure: true })
  const unsure = (mark: string) => ({ mark, isSure: false })
  expect(explains([sure('1'), unsure('2'), sure('3')], ['1', '2', '3'])).toBe(true)
  expect(explains([sure('1'), unsure('2'), sure('3')], ['1', '3'])).toBe(true)
  expect(explains([sure('1'), unsure('2'), sure('3')], ['1', '2', '2', '3'])).toBe(false)
  expect(explains([sure('1'), unsure('2'), sure('3')], ['1', '3', '2'])).toBe(false)
  expect(explains([sure('1'), sure('3')], ['1'])).toBe(false)
  expect(explains([sure('1')], ['1', '4'])).toBe(false)
})
