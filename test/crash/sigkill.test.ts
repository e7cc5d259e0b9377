import { expect, onTestFinished, test } from 'vitest'
import { createRandom } from './random.ts'
import { World } from './world.ts'

/** `CRASH_KILLS=1000` looks longer. */
const KILLS = Number(process.env['CRASH_KILLS'] ?? 12)
/** Each world has its own home. Two use both cores of a small machine. */
const WORLDS = 2
/** Projections are compared in every sixth round. */
const PROJECTION_INTERVAL = 6

test('a daemon killed at any moment loses no acknowledged command and executes none twice', async () => {
  const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 1_000_000)
  const worlds = Array.from({ length: WORLDS }, (_, n) => new World(createRandom(seed + n)))
  onTestFinished(() => {
    for (const world of worlds) world.close()
  })
  const startedMs = Date.now()
  const progress = setInterval(() => printProgress(worlds, startedMs), 10_000)
  onTestFinished(() => clearInterval(progress))

  await Promise.all(worlds.map((world, n) => runWorld(world, createRandom(seed + 1000 + n))))

  printProgress(worlds, startedMs)
  const faults = worlds.flatMap((world) => world.ledger.faults)
  expect(faults.slice(0, 20), `seed ${seed}; set CRASH_SEED to repeat`).toEqual([])
  expect(sum(worlds, (world) => world.kills)).toBeGreaterThanOrEqual(KILLS)
  // The test is meaningful only if commands succeeded and others were interrupted.
  expect(sum(worlds, (world) => world.ledger.acknowledged.length)).toBeGreaterThan(KILLS * 5)
  expect(sum(worlds, (world) => world.interrupted)).toBeGreaterThan(KILLS)
  expect(sum(worlds, (world) => world.receivedEvents)).toBeGreaterThan(KILLS)
}, 600_000)

async function runWorld(world: World, random: ReturnType<typeof createRandom>): Promise<void> {
  await world.open()
  for (let round = 1; world.isConsistent && world.kills < KILLS / WORLDS; round += 1) {
    if (random.chance(0.15)) await world.killDuringStart()
    else await world.killDuringWork({ projections: round % PROJECTION_INTERVAL === 0 })
  }
  if (world.isConsistent) await world.finish()
}

function printProgress(worlds: readonly World[], startedMs: number): void {
  const line = [
    `${sum(worlds, (world) => world.kills)} kills`,
    `${sum(worlds, (world) => world.ledger.acknowledged.length)} acknowledged`,
    `${sum(worlds, (world) => world.interrupted)} interrupted`,
    `${sum(worlds, (world) => world.receivedEvents)} events read`,
    `${Math.round((Date.now() - startedMs) / 1000)} s`,
  ].join(', ')
  process.stderr.write(`[crash] ${line}\n`)
}

const sum = (worlds: readonly World[], of: (world: World) => number): number =>
  worlds.reduce((total, world) => total + of(world), 0)
