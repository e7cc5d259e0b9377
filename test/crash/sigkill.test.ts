import { expect, onTestFinished, test } from 'vitest'
import { seeded } from './random.ts'
import { World } from './world.ts'

const killsWanted = 100
/** Each has a home of its own; two keep both cores of a small machine busy. */
const worldCount = 2
const mirrorsEvery = 6

test('killed at any moment, the daemon loses nothing it has acknowledged and does nothing twice', async () => {
  const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 1_000_000)
  const worlds = Array.from({ length: worldCount }, (_, n) => new World(seeded(seed + n)))
  onTestFinished(() => {
    for (const world of worlds) world.close()
  })
  const began = Date.now()
  const progress = setInterval(() => tell(worlds, began), 10_000)
  onTestFinished(() => clearInterval(progress))

  await Promise.all(worlds.map((world, n) => live(world, seeded(seed + 1000 + n))))

  tell(worlds, began)
  const faults = worlds.flatMap((world) => world.ledger.faults)
  expect(faults.slice(0, 20), `seed ${seed}; set CRASH_SEED to repeat`).toEqual([])
  expect(sum(worlds, (world) => world.kills)).toBeGreaterThanOrEqual(killsWanted)
  // A load that never got through, or was never cut off, would have proven nothing.
  expect(sum(worlds, (world) => world.ledger.acknowledged.length)).toBeGreaterThan(killsWanted * 5)
  expect(sum(worlds, (world) => world.cutOff)).toBeGreaterThan(killsWanted)
  expect(sum(worlds, (world) => world.told)).toBeGreaterThan(killsWanted)
}, 600_000)

async function live(world: World, random: ReturnType<typeof seeded>): Promise<void> {
  await world.open()
  for (let round = 1; world.isSound && world.kills < killsWanted / worldCount; round += 1) {
    if (random.chance(0.15)) await world.dieStarting()
    else await world.dieWorking({ mirrors: round % mirrorsEvery === 0 })
  }
  if (world.isSound) await world.rest()
}

function tell(worlds: readonly World[], began: number): void {
  const line = [
    `${sum(worlds, (world) => world.kills)} kills`,
    `${sum(worlds, (world) => world.ledger.acknowledged.length)} acknowledged`,
    `${sum(worlds, (world) => world.cutOff)} cut off`,
    `${sum(worlds, (world) => world.told)} events read`,
    `${Math.round((Date.now() - began) / 1000)} s`,
  ].join(', ')
  process.stderr.write(`[crash] ${line}\n`)
}

const sum = (worlds: readonly World[], of: (world: World) => number): number =>
  worlds.reduce((total, world) => total + of(world), 0)
